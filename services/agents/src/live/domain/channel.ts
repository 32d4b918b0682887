import { setTimeout as pause } from 'node:timers/promises';
import type { TailedEvent } from '@botyard/shared/bus/event-tail';
import { withTenant } from '@botyard/shared/db/database';
import type { Semaphore } from '@botyard/shared/work/semaphore';
import type { Deps } from '../../deps.ts';
import { notYet, tell } from './happenings.ts';
import type { Listener, Told } from './listener.ts';

const maxAtOnce = 50;
/** Events of a tenant that wait to be read. */
const maxPending = 2000;
/** Wait until the consumer of messages has stored an event. */
const storedWithinMs = 3000;
const lookAgainMs = 25;

type ReadDeps = Pick<Deps, 'database' | 'log'>;

/** The listeners of one tenant. Each event is read once for all of them, in order. */
export class Channel {
  readonly listeners = new Set<Listener>();
  readonly #tenantId: string;
  readonly #deps: ReadDeps;
  readonly #reads: Semaphore;
  #pending: TailedEvent[] = [];
  #isReading = false;

  constructor(tenantId: string, deps: ReadDeps, reads: Semaphore) {
    this.#tenantId = tenantId;
    this.#deps = deps;
    this.#reads = reads;
  }

  push(event: TailedEvent): void {
    if (this.#pending.length >= maxPending) {
      this.#pending = [];
      for (const listener of this.listeners) listener.reset();
    }
    this.#pending.push(event);
    if (!this.#isReading) void this.#readAll();
  }

  /** The listeners' events for these bus events. */
  async read(events: readonly TailedEvent[]): Promise<Told[]> {
    const told: Told[] = [];
    for (let from = 0; from < events.length; from += maxAtOnce)
      told.push(...(await this.#readSome(events.slice(from, from + maxAtOnce))));
    return told;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#pending.length > 0 && this.listeners.size > 0) {
      const batch = this.#pending.splice(0, maxAtOnce);
      try {
        for (const told of await this.#readSome(batch))
          for (const listener of this.listeners) listener.tell(told);
      } catch (error) {
        this.#deps.log.warn({ err: error, tenantId: this.#tenantId }, 'live events could not be read');
        for (const listener of this.listeners) listener.reset();
      }
    }
    this.#pending = [];
    this.#isReading = false;
  }

  async #readSome(events: readonly TailedEvent[]): Promise<Told[]> {
    const told = new Map<TailedEvent, Told>();
    for (;;) {
      const open = events.filter((event) => !told.has(event));
      const found = await this.#reads.run(this.#tenantId, () => this.#readOnce(open));
      for (const [event, happenings] of found) {
        const isLate = Date.now() - event.atMs > storedWithinMs;
        if (happenings !== notYet) told.set(event, { tailed: event, happenings });
        else if (isLate) told.set(event, { tailed: event, happenings: [] });
      }
      if (told.size === events.length) return events.flatMap((event) => told.get(event) ?? []);
      await pause(lookAgainMs);
    }
  }

  #readOnce(events: readonly TailedEvent[]) {
    return withTenant(this.#deps.database, [this.#tenantId], async (tx) => {
      const found: [TailedEvent, Awaited<ReturnType<typeof tell>>][] = [];
      for (const event of events) found.push([event, await tell(tx, event)]);
      return found;
    });
  }
}
