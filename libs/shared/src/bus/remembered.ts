import { LRUCache } from 'lru-cache';
import type { Bus } from './bus.ts';

const rememberedMs = 30_000;
const maxRemembered = 10_000;

/**
 * Answers of another service that rarely change, of a tenant: remembered for 30 s, dropped at once when a change is
 * announced (it is the handlers of `watch`), and not used while the bus is away, which could announce none.
 */
export class Remembered<Value extends NonNullable<unknown>> {
  readonly #bus: Pick<Bus, 'isConnected'>;
  readonly #values = new LRUCache<string, { tenantId: string; value: Value }>({
    max: maxRemembered,
    ttl: rememberedMs,
  });
  /** An answer that was under way when a change was announced may be from before it: such a one isn't remembered. */
  #changes = 0;

  constructor(bus: Pick<Bus, 'isConnected'>) {
    this.#bus = bus;
  }

  readonly onEvent = ({ tenantId }: { tenantId: string }): void => {
    this.#changes += 1;
    for (const [name, known] of this.#values.entries())
      if (known.tenantId === tenantId) this.#values.delete(name);
  };

  readonly onGap = (): void => {
    this.#changes += 1;
    this.#values.clear();
  };

  get(tenantId: string, name: string): Value | undefined {
    return this.#bus.isConnected ? this.#values.get(`${tenantId} ${name}`)?.value : undefined;
  }

  /** To be called before it is asked; what it returns keeps the answer. */
  asking(tenantId: string, name: string): (value: Value) => void {
    const changesBefore = this.#changes;
    return (value) => {
      if (this.#changes === changesBefore) this.#values.set(`${tenantId} ${name}`, { tenantId, value });
    };
  }
}
