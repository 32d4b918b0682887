import type { EventType } from '@botyard/contracts/events/definition';
import type { JsMsg } from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { catchUpName, consumerVersion, ensureConsumer, isConsumerMissing } from './durable.ts';
import { Follower } from './follower.ts';

interface FollowedOptions {
  bus: Bus;
  owner: string;
  events: readonly EventType[];
  version: number;
  onMessage(message: JsMsg): void;
}

/** An older process may have reset the consumer at the moment when this one updated it. */
const checkVersionEveryMs = 5000;
const checkCatchUpEveryMs = 1000;

/**
 * A service's durable consumer on one owner's stream, and the consumers that catch up with events that were added to
 * it.
 */
export class FollowedConsumers {
  readonly #options: FollowedOptions;
  readonly #main: Follower;
  readonly #catchUps = new Map<string, Follower>();

  constructor(options: FollowedOptions) {
    const { bus, owner, version, onMessage } = options;
    this.#options = options;
    this.#main = new Follower({
      bus,
      stream: bus.names.stream(owner),
      part: `events of ${owner}`,
      prepare: async () => {
        for (const event of await ensureConsumer(bus, options)) this.#catchUp(event);
        return bus.service;
      },
      onMessage,
      isCurrent: async () => (await consumerVersion(bus, owner)) >= version,
      checkEveryMs: checkVersionEveryMs,
    });
  }

  start(): void {
    this.#main.start();
  }

  stop(): void {
    this.#main.stop();
    for (const follower of this.#catchUps.values()) follower.stop();
  }

  #catchUp(event: EventType): void {
    if (this.#catchUps.has(event.name)) return;
    const { bus, owner, onMessage } = this.#options;
    const stream = bus.names.stream(owner);
    const name = catchUpName(bus.service, event.name);
    let target = 0;
    const follower: Follower = new Follower({
      bus,
      stream,
      part: `earlier ${event.name}`,
      prepare: async () => {
        target = await this.#delivered();
        if (await isThere(bus, stream, name)) return name;
        this.#catchUps.delete(event.name);
        return undefined;
      },
      onMessage,
      isCurrent: async () => {
        const { ack_floor, num_pending, num_ack_pending } = await bus
          .live()
          .manager.consumers.info(stream, name);
        if (ack_floor.stream_seq < target && num_pending + num_ack_pending > 0) return true;
        await bus.live().manager.consumers.delete(stream, name);
        bus.log.info({ owner, event: event.name }, 'caught up with the earlier messages of an event');
        return false;
      },
      checkEveryMs: checkCatchUpEveryMs,
    });
    this.#catchUps.set(event.name, follower);
    follower.start();
  }

  /** The last position that the service's own consumer has delivered. */
  async #delivered(): Promise<number> {
    const { bus, owner } = this.#options;
    const info = await bus.live().manager.consumers.info(bus.names.stream(owner), bus.service);
    return info.delivered.stream_seq;
  }
}

async function isThere(bus: Bus, stream: string, name: string): Promise<boolean> {
  try {
    await bus.live().manager.consumers.info(stream, name);
    return true;
  } catch (error) {
    if (isConsumerMissing(error)) return false;
    throw error;
  }
}
