import type { EventType } from '@botyard/contracts/events/definition';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { JetStreamApiError, RepublishHeaders } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { Bus } from './bus.ts';
import { nextOf } from './reading/next-of.ts';
import { readJson } from './reading/read-json.ts';
import { keepSubscribed } from './subscribing.ts';

/** Position up to which a stream was read. A stream that was created again counts from 1. */
export interface StreamPosition {
  /** When the stream was created, in milliseconds; 0 while it doesn't exist. */
  createdMs: number;
  seq: number;
}

/** An event with its place in its owner's stream. */
export interface TailedEvent {
  event: EventType;
  seq: number;
  tenantId: string;
  /** When the stream received it, in milliseconds. */
  atMs: number;
  /** The event parsed by its schema; `undefined` if it can't be parsed. */
  data: unknown;
}

interface EventTailOptions {
  bus: Bus;
  owner: ServiceName;
  events: readonly EventType[];
  /** Whether events of this tenant are wanted; others are not parsed. */
  isWanted: (tenantId: string) => boolean;
  onEvent: (event: TailedEvent) => void;
  /** Called when events may have been missed: the stream was created again, or the connection was lost. */
  onLost: () => void;
}

const retryMs = 250;

/**
 * Follows an owner's events from now on, in this process alone, as the stream republishes them once they are stored.
 * Events of a
 * tenant that were missed are read from the stream again.
 */
export class EventTail {
  readonly #options: EventTailOptions;
  readonly #byName: ReadonlyMap<string, EventType>;
  readonly #tried = Promise.withResolvers<void>();
  readonly #position: StreamPosition = { createdMs: 0, seq: 0 };
  #hasTried = false;
  #isStopped = false;
  #leave: () => void = () => undefined;

  constructor(options: EventTailOptions) {
    this.#options = options;
    this.#byName = new Map(options.events.map((event) => [event.name, event]));
  }

  get owner(): ServiceName {
    return this.#options.owner;
  }

  /** The position up to which events were handed over. */
  get position(): StreamPosition {
    return { ...this.#position };
  }

  /** Resolves when the position is known from which events are handed over. */
  start(): Promise<void> {
    this.#keepFollowing();
    return this.#tried.promise;
  }

  stop(): void {
    this.#isStopped = true;
    this.#leave();
  }

  /**
   * A tenant's events after a position, in order; `null` if there are more than `most`.
   * @throws while NATS can't be asked.
   */
  async listSince(seq: number, tenantId: string, most: number): Promise<TailedEvent[] | null> {
    const { bus, owner } = this.#options;
    const subject = bus.names.everyTenantEventOf(owner, tenantId);
    const listed: TailedEvent[] = [];
    for (let next = seq + 1; ; ) {
      const stored = await nextOf(bus, { owner, subject, seq: next });
      if (!stored) return listed;
      next = stored.seq + 1;
      const event = this.#eventOf(stored, { seq: stored.seq, atMs: stored.time.getTime() });
      if (event && listed.push(event) > most) return null;
    }
  }

  #keepFollowing(): void {
    const { bus, owner } = this.#options;
    const subscription = keepSubscribed(bus, bus.names.republishedSubjects(owner), {
      onMessage: (message) => this.#take(message),
    });
    const forget = bus.onReconnect(() => void this.#settle());
    this.#leave = () => {
      forget();
      subscription.drain().catch(() => undefined);
    };
    // The subscription was sent before this request, so no event is missed between the two.
    void this.#settle();
  }

  /** Finds out up to where the stream reaches, at the start and after each reconnection. */
  async #settle(): Promise<void> {
    const { bus, owner } = this.#options;
    while (!this.#isStopped) {
      try {
        const { created, state } = await bus.live().manager.streams.info(bus.names.stream(owner));
        this.#begin(Date.parse(created), state.last_seq);
        return this.#hasBegun();
      } catch (error) {
        // Only its owner creates a stream. While it doesn't exist, everything that it will hold is new.
        if (error instanceof JetStreamApiError && error.status === 404) this.#hasBegun();
        bus.log.debug({ err: error, owner }, 'cannot follow events yet');
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    }
  }

  #begin(createdMs: number, lastSeq: number): void {
    const { createdMs: before, seq } = this.#position;
    // A stream that didn't exist before holds nothing that was missed.
    const isFirst = before === 0;
    const isNewStream = isFirst && this.#hasTried;
    const hasMissed = !isFirst && (before !== createdMs || lastSeq > seq);
    this.#position.createdMs = createdMs;
    if (!isNewStream && (isFirst || hasMissed)) this.#position.seq = lastSeq;
    if (hasMissed) this.#options.onLost();
  }

  #hasBegun(): void {
    this.#hasTried = true;
    this.#tried.resolve();
  }

  #take(message: Msg): void {
    const seq = Number(message.headers?.get(RepublishHeaders.Sequence));
    if (this.#isStopped || !Number.isSafeInteger(seq) || !this.#hasTried) return;
    // Positions start again in a stream that was created again.
    if (seq <= this.#position.seq) return void this.#settle();
    const isGap = this.#position.createdMs !== 0 && seq > this.#position.seq + 1;
    this.#position.seq = seq;
    if (isGap) this.#options.onLost();
    const { bus, isWanted, onEvent } = this.#options;
    if (!isWanted(bus.names.tenantOf(message.subject))) return;
    const atMs = Date.parse(message.headers?.get('Nats-Time-Stamp') ?? '') || Date.now();
    const event = this.#eventOf(message, { seq, atMs });
    if (event) onEvent(event);
  }

  #eventOf(
    message: { subject: string; data: Uint8Array },
    { seq, atMs }: { seq: number; atMs: number },
  ): TailedEvent | undefined {
    const { names } = this.#options.bus;
    const event = this.#byName.get(names.eventNameOf(message.subject));
    if (!event) return undefined;
    const { data } = event.schema.safeParse(readJson(message));
    return { event, seq, tenantId: names.tenantOf(message.subject), atMs, data };
  }
}
