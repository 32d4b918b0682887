import { setTimeout as pause } from 'node:timers/promises';
import { type ConsumerMessages, JetStreamApiError, type JsMsg } from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { idleHeartbeatMs, untilSilent } from './reading/silence.ts';

interface FollowerOptions {
  bus: Bus;
  stream: string;
  /** The feature that stops while the consumer can't be followed, shown to the operator. */
  part: string;
  /** Ensures that the consumer exists and returns its name; `undefined` if there is nothing left to follow. */
  prepare(): Promise<string | undefined>;
  onMessage(message: JsMsg): void;
  /** Called periodically while following. If it returns `false`, `prepare` is called again. */
  isCurrent(): Promise<boolean>;
  checkEveryMs: number;
}

const retryMs = 250;

/**
 * Follows a durable consumer until it is stopped, and resumes whenever the subscription ends. Failures to follow are
 * reported as a stall.
 */
export class Follower {
  readonly #options: FollowerOptions;
  #messages: ConsumerMessages | undefined;
  #isStopped = false;
  /** The subscription was ended because the consumer was outdated, not because it was silent. */
  #isOutdated = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#messages?.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isOutdated = false;
      try {
        await this.#follow();
        if (!this.#isStopped && !this.#isOutdated) this.#fail('NATS does not serve the consumer');
      } catch (error) {
        // Only its owner creates a missing stream.
        if (!isStreamMissing(error)) this.#fail(reasonOf(error), error);
      }
      await pause(retryMs, undefined, { ref: false });
    }
  }

  /** A lost connection is reported separately. */
  #fail(reason: string, error?: unknown): void {
    const { bus, part, stream } = this.#options;
    if (!bus.isConnected) return;
    const remedy = `Look at the stream ${stream} and its consumers in NATS, and at what the service's login may do.`;
    bus.stalls.failed(part, { reason, remedy, error });
  }

  async #follow(): Promise<void> {
    const { bus, part, stream, prepare, onMessage, checkEveryMs } = this.#options;
    const name = await prepare();
    if (name === undefined) {
      // The consumer may have been deleted while it was followed.
      bus.stalls.recovered(part);
      return this.stop();
    }
    const consumer = await bus.live().jetstream.consumers.get(stream, name);
    if (this.#isStopped) return;
    const messages = await consumer.consume({
      max_messages: 500,
      idle_heartbeat: idleHeartbeatMs(bus),
      abort_on_missing_resource: true,
      callback: onMessage,
    });
    this.#messages = messages;
    // A consumer that is served for this long works.
    const proof = setTimeout(() => bus.stalls.recovered(part), 2 * idleHeartbeatMs(bus));
    const checks = setInterval(() => void this.#check(messages), checkEveryMs);
    try {
      await untilSilent(bus, messages);
    } finally {
      clearTimeout(proof);
      clearInterval(checks);
    }
  }

  async #check(messages: ConsumerMessages): Promise<void> {
    // While NATS doesn't answer, the missing heartbeats of the consumer end the subscription.
    const isCurrent = await this.#options.isCurrent().catch(() => true);
    if (isCurrent) return;
    this.#isOutdated = true;
    messages.stop();
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const streamNotFound = 10059;
const isStreamMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === streamNotFound;
