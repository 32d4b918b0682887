import { LRUCache } from 'lru-cache';
import type { Bus } from './bus.ts';

const rememberedMs = 30_000;
const maxRemembered = 10_000;

/**
 * Cache of another service's answers about a tenant that rarely change. Entries expire after 30 s and are invalidated
 * as soon as a change is announced (`watch` calls the handlers). The cache is not used while the bus is down, because
 * no change could be announced.
 */
export class Remembered<Value extends NonNullable<unknown>> {
  readonly #bus: Pick<Bus, 'isConnected'>;
  readonly #values = new LRUCache<string, { tenantId: string; value: Value }>({
    max: maxRemembered,
    ttl: rememberedMs,
  });
  /** Counts announced changes. A response that was in flight during a change may predate it and isn't cached. */
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

  /** Call this before the request is sent; the returned function caches the answer. */
  asking(tenantId: string, name: string): (value: Value) => void {
    const changesBefore = this.#changes;
    return (value) => {
      if (this.#changes === changesBefore) this.#values.set(`${tenantId} ${name}`, { tenantId, value });
    };
  }
}
