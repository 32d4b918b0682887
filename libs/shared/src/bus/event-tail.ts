import type { EventType } from '@botyard/contracts/events/definition';
import type { ServiceName } from '@botyard/contracts/http/contract';
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JsMsg,
} from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { readJson } from './reading/read-json.ts';
import { untilSilent, watchersHeartbeatMs } from './reading/silence.ts';

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
  /** Called when the stream was created again: events in between may be missing. */
  onLost: () => void;
}

const retryMs = 250;

/**
 * Follows an owner's events from now on, in this process alone, without acknowledging or storing them. Events of a
 * tenant that were missed are read from the stream again.
 */
export class EventTail {
  readonly #options: EventTailOptions;
  readonly #byName: ReadonlyMap<string, EventType>;
  readonly #tried = Promise.withResolvers<void>();
  readonly #position: StreamPosition = { createdMs: 0, seq: 0 };
  #hasTried = false;
  #isStopped = false;
  #messages: ConsumerMessages | undefined;

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
    void this.#keepFollowing();
    return this.#tried.promise;
  }

  stop(): void {
    this.#isStopped = true;
    this.#messages?.stop();
  }

  /**
   * A tenant's events after a position, in order; `null` if there are more than `most`, or if they don't all arrive
   * in time.
   * @throws while NATS can't be asked.
   */
  async listSince(seq: number, tenantId: string, most: number): Promise<TailedEvent[] | null> {
    const { bus, events } = this.#options;
    const subjects = events.map((event) => bus.names.event(event, { tenantId }).replace(/[^.]+$/, '*'));
    const consumer = await this.#consumerFrom(seq + 1, subjects);
    try {
      const { num_pending: pending } = await consumer.info(true);
      if (pending > most) return null;
      return pending === 0 ? [] : await this.#read(consumer, pending);
    } finally {
      await consumer.delete().catch(() => undefined);
    }
  }

  async #read(consumer: Consumer, count: number): Promise<TailedEvent[] | null> {
    const found: TailedEvent[] = [];
    let received = 0;
    const messages = await consumer.fetch({ max_messages: count, expires: 2000 });
    for await (const message of messages) {
      received += 1;
      const event = this.#eventOf(message);
      if (event) found.push(event);
    }
    return received < count ? null : found;
  }

  #consumerFrom(seq: number, subjects: string[]): Promise<Consumer> {
    const { bus, owner } = this.#options;
    return bus.live().jetstream.consumers.get(bus.names.stream(owner), {
      filter_subjects: subjects,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: seq,
    });
  }

  async #keepFollowing(): Promise<void> {
    const { bus, owner } = this.#options;
    while (!this.#isStopped) {
      try {
        await this.#follow();
      } catch (error) {
        // Only its owner creates a stream. While it doesn't exist, everything that it will hold is new.
        if (error instanceof JetStreamApiError && error.status === 404) this.#hasBegun();
        bus.log.debug({ err: error, owner }, 'cannot follow events yet');
      }
      if (!this.#isStopped) await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    }
  }

  async #follow(): Promise<void> {
    const { bus, owner, events } = this.#options;
    const { created, state } = await bus.live().manager.streams.info(bus.names.stream(owner));
    this.#begin(Date.parse(created), state.last_seq);
    const consumer = await this.#consumerFrom(this.#position.seq + 1, events.map(bus.names.everyEvent));
    if (this.#isStopped) return;
    this.#messages = await consumer.consume({
      idle_heartbeat: watchersHeartbeatMs(bus),
      abort_on_missing_resource: true,
      callback: (message) => this.#take(message),
    });
    this.#hasBegun();
    try {
      await untilSilent(bus, this.#messages);
    } finally {
      if (bus.isConnected) await consumer.delete().catch(() => undefined);
    }
  }

  #begin(createdMs: number, lastSeq: number): void {
    const { createdMs: before } = this.#position;
    if (before === createdMs) return;
    const isNewStream = before === 0 && this.#hasTried;
    this.#position.createdMs = createdMs;
    this.#position.seq = isNewStream ? 0 : lastSeq;
    if (before !== 0) this.#options.onLost();
  }

  #hasBegun(): void {
    this.#hasTried = true;
    this.#tried.resolve();
  }

  #take(message: JsMsg): void {
    if (this.#isStopped || message.seq <= this.#position.seq) return;
    this.#position.seq = message.seq;
    const { bus, isWanted, onEvent } = this.#options;
    if (!isWanted(bus.names.tenantOf(message.subject))) return;
    const event = this.#eventOf(message);
    if (event) onEvent(event);
  }

  #eventOf(message: JsMsg): TailedEvent | undefined {
    const { names } = this.#options.bus;
    const event = this.#byName.get(names.eventNameOf(message.subject));
    if (!event) return undefined;
    const { data } = event.schema.safeParse(readJson(message));
    const tenantId = names.tenantOf(message.subject);
    return { event, seq: message.seq, tenantId, atMs: Number(message.timestampNanos / 1_000_000n), data };
  }
}
