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
/** The most messages that wait for an answer about the stream. A gap shows that more have arrived. */
const maxWaiting = 1000;

/**
 * Follows an owner's events from now on, in this process alone, as the stream republishes them once they are stored.
 * Events of a tenant that were missed are read from the stream again.
 *
 * Republished events and answers about the stream take different ways through nats-server, so either may overtake the
 * other: messages wait while the stream is asked for, and those that the answer includes may still arrive after it.
 */
export class EventTail {
  readonly #options: EventTailOptions;
  readonly #byName: ReadonlyMap<string, EventType>;
  readonly #tried = Promise.withResolvers<void>();
  readonly #position: StreamPosition = { createdMs: 0, seq: 0 };
  readonly #waiting: Msg[] = [];
  #hasTried = false;
  #isSettling = false;
  #isReconnected = false;
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
    const forget = bus.onReconnect(() => {
      this.#isReconnected = true;
      void this.#settle();
    });
    this.#leave = () => {
      forget();
      subscription.drain().catch(() => undefined);
    };
    // The subscription was sent before this request, so no event is missed between the two.
    void this.#settle();
  }

  /** Finds out where the stream is: at the start, after each reconnection, and when sequence numbers start again. */
  async #settle(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    const { bus, owner } = this.#options;
    while (!this.#isStopped) {
      try {
        const { created, state } = await bus.live().manager.streams.info(bus.names.stream(owner));
        if (this.#isStopped) return;
        this.#isSettling = false;
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
    // A server that lost its latest events in a crash counts again from where it was, too.
    const isRecreated = before !== 0 && (before !== createdMs || lastSeq < seq);
    this.#position.createdMs = createdMs;
    // A stream that didn't exist before holds nothing that was missed.
    if (before === 0 && !this.#hasTried) this.#position.seq = lastSeq;
    if (isRecreated) this.#lose(lastSeq);
    for (const message of this.#waiting.splice(0))
      if (seqOf(message) > this.#position.seq) this.#handOver(message);
    // Without a reconnection, events that are still missing are on their way.
    if (this.#isReconnected && lastSeq > this.#position.seq) this.#lose(lastSeq);
    this.#isReconnected = false;
  }

  /** Continues after this position, although events before it may have been missed. */
  #lose(seq: number): void {
    this.#position.seq = seq;
    this.#options.onLost();
  }

  #hasBegun(): void {
    this.#hasTried = true;
    this.#tried.resolve();
  }

  #take(message: Msg): void {
    const seq = seqOf(message);
    if (this.#isStopped || seq === 0) return;
    if (!this.#isSettling && seq > this.#position.seq) {
      this.#handOver(message);
      return;
    }
    this.#waiting.push(message);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    // Either the message was overtaken, or the stream was created again and counts from 1.
    void this.#settle();
  }

  /** Hands over an event that comes after the position. */
  #handOver(message: Msg): void {
    const seq = seqOf(message);
    if (seq > this.#position.seq + 1) this.#lose(seq - 1);
    this.#position.seq = seq;
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

/** The position in the stream; 0, which is before every event, if the header is missing or isn't a number. */
function seqOf({ headers }: Msg): number {
  const seq = Number(headers?.get(RepublishHeaders.Sequence));
  return Number.isSafeInteger(seq) ? seq : 0;
}
