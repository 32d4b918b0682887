import { setTimeout as pause } from 'node:timers/promises';
import type { TailedEvent } from '@botyard/shared/bus/event-tail';
import { withTenant } from '@botyard/shared/db/database';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Semaphore } from '@botyard/shared/work/semaphore';
import { notYet, tell } from './happenings.ts';
import { type Batch, type Listener, type Told, writeTold } from './listener.ts';
import { type Missed, MissedEvents } from './missed-events.ts';
import { type FollowedOwner, movedTo, type Position } from './position.ts';

const maxAtOnce = 50;
/** The most events of a tenant that wait to be read. */
const maxPending = 2000;
/** The longest wait until the consumer of messages has stored an event's subject. */
const storedWithinMs = 3000;
const lookAgainMs = 25;

type ReadDeps = Pick<Foundation, 'database' | 'log'>;

/** The parts of the bus that a channel needs. */
export interface Following {
  /** The position up to which the bus has delivered events. */
  position(): Position;
  /** A tenant's events after a position, in chronological order; `null` if there are too many. */
  listSince(from: Position, tenantId: string): Promise<readonly TailedEvent[] | null>;
}

/** The listeners of one tenant. Each event is read once for all of them, in order. */
export class Channel {
  readonly listeners = new Set<Listener>();
  readonly missed: MissedEvents;
  readonly #tenantId: string;
  readonly #deps: ReadDeps;
  readonly #following: Following;
  readonly #reads: Semaphore;
  #pending: TailedEvent[] = [];
  #isReading = false;
  /** The position of listeners that have received everything. */
  #position: Position;
  /** Counts how often the streams were recreated. */
  #resets = 0;

  constructor(
    tenantId: string,
    { deps, following, reads }: { deps: ReadDeps; following: Following; reads: Semaphore },
  ) {
    this.#tenantId = tenantId;
    this.#deps = deps;
    this.#following = following;
    this.#reads = reads;
    this.#position = following.position();
    this.missed = new MissedEvents((from) => this.#readSince(from));
  }

  push(event: TailedEvent): void {
    if (this.#pending.length >= maxPending) {
      this.#pending = [];
      for (const listener of this.listeners) listener.reset();
    }
    this.#pending.push(event);
    if (!this.#isReading) void this.#readAll();
  }

  /** Drops pending events, which belong to streams that were recreated. */
  reset(position: Position): void {
    this.#resets += 1;
    this.#pending = [];
    this.#position = position;
    for (const listener of this.listeners) listener.reset(position);
  }

  async #readSince(from: Position): Promise<Missed> {
    const events = await this.#following.listSince(from, this.#tenantId);
    if (events === null) return null;
    const missedEvents: Told[] = [];
    for (let from = 0; from < events.length; from += maxAtOnce)
      missedEvents.push(...(await this.#readSome(events.slice(from, from + maxAtOnce))));
    return missedEvents;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#pending.length > 0 && this.listeners.size > 0) {
      const events = this.#pending.splice(0, maxAtOnce);
      // If nothing is pending, these events take the listeners to the position of the bus.
      const upTo = this.#pending.length === 0 ? this.#following.position() : undefined;
      const resets = this.#resets;
      try {
        const liveEvents = await this.#readSome(events);
        if (resets === this.#resets) this.#tell(liveEvents, upTo);
      } catch (error) {
        this.#deps.log.warn({ err: error, tenantId: this.#tenantId }, 'could not read live events');
        for (const listener of this.listeners) listener.reset();
      }
    }
    this.#pending = [];
    this.#isReading = false;
  }

  #tell(told: readonly Told[], upTo: Position | undefined): void {
    const before = this.#position;
    let text = '';
    for (const one of told) {
      const { event, seq } = one.tailed;
      this.#position = movedTo(this.#position, event.owner as FollowedOwner, seq);
      if (upTo && one === told.at(-1)) this.#position = upTo;
      text += writeTold(one, this.#position);
    }
    const batch: Batch = { told, before, after: this.#position, text: Buffer.from(text) };
    for (const listener of this.listeners) listener.tell(batch);
  }

  async #readSome(events: readonly TailedEvent[]): Promise<Told[]> {
    const toldByEvent = new Map<TailedEvent, Told>();
    for (;;) {
      const open = events.filter((event) => !toldByEvent.has(event));
      const attempts = await this.#reads.run(this.#tenantId, () => this.#readOnce(open));
      for (const [event, happenings] of attempts) {
        const isLate = Date.now() - event.atMs > storedWithinMs;
        if (happenings !== notYet) toldByEvent.set(event, { tailed: event, happenings });
        else if (isLate) toldByEvent.set(event, { tailed: event, happenings: [] });
      }
      if (toldByEvent.size === events.length) return events.flatMap((event) => toldByEvent.get(event) ?? []);
      await pause(lookAgainMs);
    }
  }

  #readOnce(events: readonly TailedEvent[]) {
    return withTenant(this.#deps.database, [this.#tenantId], async (tx) => {
      const attempts: [TailedEvent, Awaited<ReturnType<typeof tell>>][] = [];
      for (const event of events) attempts.push([event, await tell(tx, event)]);
      return attempts;
    });
  }
}
