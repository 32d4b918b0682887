import { setTimeout as pause } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { Database } from '../db/database.ts';
import { isConnectionFailure } from '../db/failures.ts';
import { withoutSecrets } from '../log/without-secrets.ts';
import { failpoint } from '../service/failpoint.ts';
import { runInContext } from '../tracing/context.ts';
import { RoundRobinQueue } from '../work/round-robin-queue.ts';
import { type Bus, contextOf } from './bus.ts';
import { busVersion } from './bus-version.ts';
import type { Subscription } from './consumer.ts';
import { deadLetter, recordFailure } from './dead-letters.ts';
import { isOutage, textOf } from './event-failure.ts';
import { FollowedConsumers } from './followed-consumers.ts';
import { type Delivered, handleAsNew, handleOnce, readEvent } from './inbox.ts';
import { ParkedEvents, unknownEventReason } from './parked-events.ts';
import { parseMessage } from './reading/read-json.ts';

interface Taken<Deps> extends Delivered<Deps> {
  message: JsMsg;
}

interface ConsumerOptions<Deps> {
  bus: Bus;
  database: Database;
  schema: string;
  /** The owner of the stream. */
  owner: string;
  subscriptions: readonly Subscription<Deps>[];
  deps: Deps;
  /** The release's version, except in tests that simulate another one. */
  version?: number;
  /**
   * How often an event that this version doesn't know is left to a newer process, a second apart, before it is
   * parked.
   */
  maxUnknownDeliveries?: number;
  /** See `defaultPause`. */
  pause?: BatchPause;
}

const maxBatch = 100;
/** Events without an urgent effect are collected for this long, or until they fill a batch. */
const gatherMs = 250;
/** Minimum delay between the starts of two batches: for each event after the first, and at most. */
interface BatchPause {
  forEachMs: number;
  maxMs: number;
}

/** The busier a process, the more events share a transaction. A single event doesn't delay later ones. */
const defaultPause: BatchPause = { forEachMs: 10, maxMs: 30 };
/** Delay during an outage; a process with a working connection then handles the event. */
const outageRetryMs = 1000;
const defaultMaxUnknownDeliveries = 30;
const unknownRetryMs = 1000;
/** An event that wasn't seen for this long was handled by another process. */
const forgottenAfterMs = 5000;

/** See `Subscription.expectsNew`. An event that was delivered before may have been handled. */
function isExpectedNew(batch: readonly Taken<unknown>[]): boolean {
  const first = batch[0]?.subscription;
  return batch.every(
    ({ subscription, tenantId, message }) =>
      subscription === first && subscription.expectsNew && tenantId !== '' && !message.redelivered,
  );
}

/**
 * Takes one owner's events for one service; instances share the durable consumer (REQ-REL-3 and REQ-REL-5).
 * Events that arrive within a moment, or while a transaction runs, are handled together in the next one, tenants taking
 * turns; when that fails, each event on its own. Those without an urgent effect are gathered first. An event is
 * acknowledged after its commit and never on failure. An unknown event is left to processes of a newer version; when
 * there is none it is parked as a dead letter, and handled when one starts.
 */
export class Consumer<Deps> {
  readonly #options: ConsumerOptions<Deps>;
  readonly #waiting = new RoundRobinQueue<JsMsg>();
  readonly #gathered: JsMsg[] = [];
  #gathering: NodeJS.Timeout | undefined;
  readonly #byName: ReadonlyMap<string, Subscription<Deps>>;
  readonly #followed: FollowedConsumers;
  /** Ids of events that can't be handled during an outage, with the time of the last attempt. */
  readonly #putOff = new Map<string, number>();
  readonly #unknownNames = new Set<string>();
  readonly #parked: ParkedEvents<Deps>;
  #forgetting: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  /** On the clock of `performance.now`. */
  #nextBatchAtMs = 0;
  #isStopped = false;

  constructor(options: ConsumerOptions<Deps>) {
    const { bus, owner, subscriptions, version = busVersion } = options;
    this.#options = options;
    this.#byName = new Map(subscriptions.map((subscription) => [subscription.event.name, subscription]));
    this.#followed = new FollowedConsumers({
      bus,
      owner,
      version,
      events: subscriptions.map(({ event }) => event),
      onMessage: (message) => this.#take(message),
    });
    this.#parked = new ParkedEvents({ ...options, subscriptionOf: (name) => this.#byName.get(name) });
  }

  start(): void {
    this.#followed.start();
    this.#forgetting = setInterval(() => this.#forgetPutOff(), forgottenAfterMs / 2).unref();
    this.#parked.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#forgetting);
    this.#followed.stop();
    clearTimeout(this.#gathering);
    for (const message of this.#gathered) message.nak();
    this.#waiting.clear();
    await this.#working;
    await this.#parked.stop();
  }

  #take(message: JsMsg): void {
    if (this.#isStopped) return;
    const name = this.#options.bus.names.eventNameOf(message.subject);
    if (this.#byName.get(name)?.isGathered) this.#gather(message);
    else this.#handle([message]);
  }

  #gather(message: JsMsg): void {
    this.#gathered.push(message);
    if (this.#gathered.length >= maxBatch) this.#handleGathered();
    else this.#gathering ??= setTimeout(() => this.#handleGathered(), gatherMs);
  }

  #handleGathered(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#handle(this.#gathered.splice(0));
  }

  #handle(messages: readonly JsMsg[]): void {
    const { names } = this.#options.bus;
    for (const message of messages) this.#waiting.add(names.tenantOf(message.subject), message);
    this.#working ??= this.#work().catch((error: unknown) => {
      this.#options.bus.log.error({ err: error }, 'events could not be settled; they come again');
    });
  }

  async #work(): Promise<void> {
    const { forEachMs, maxMs } = this.#options.pause ?? defaultPause;
    try {
      while (this.#waiting.size > 0) {
        const waitMs = this.#nextBatchAtMs - performance.now();
        if (waitMs > 0) await pause(waitMs);
        const messages = this.#waiting.take(maxBatch);
        this.#nextBatchAtMs = performance.now() + Math.min(forEachMs * (messages.length - 1), maxMs);
        const batch: Taken<Deps>[] = [];
        for (const message of messages) {
          const taken = await this.#read(message);
          if (taken) batch.push(taken);
        }
        await this.#settleTogether(batch);
      }
    } finally {
      // Runs in the same turn as the loop's last check, so that no message can arrive in between and be left.
      this.#working = undefined;
    }
  }

  /** A known event that can't be parsed now never can be: it becomes a dead letter immediately. */
  async #read(message: JsMsg): Promise<Taken<Deps> | undefined> {
    const id = message.headers?.get('Nats-Msg-Id') ?? '';
    const name = this.#options.bus.names.eventNameOf(message.subject);
    const subscription = this.#byName.get(name);
    if (!subscription) {
      await this.#leaveToNewer(message, { id, name });
      return undefined;
    }
    try {
      const traceparent = message.headers?.get('traceparent') || undefined;
      return { ...readEvent(subscription, { id, traceparent, said: parseMessage(message) }), message };
    } catch (error) {
      await this.#giveUp(message, id, 1, error);
      return undefined;
    }
  }

  async #leaveToNewer(message: JsMsg, { id, name }: { id: string; name: string }): Promise<void> {
    const { bus, owner, maxUnknownDeliveries = defaultMaxUnknownDeliveries } = this.#options;
    const { deliveryCount } = message.info;
    if (deliveryCount > maxUnknownDeliveries) {
      await this.#giveUp(message, id, deliveryCount - 1, unknownEventReason(name));
      return;
    }
    if (!this.#unknownNames.has(name)) {
      this.#unknownNames.add(name);
      bus.log.info({ owner, event: name }, 'events that this version does not know are left to a newer one');
    }
    message.nak(unknownRetryMs);
  }

  async #settleTogether(batch: Taken<Deps>[]): Promise<void> {
    if (batch.length === 0) return;
    if (batch.length > 1 && batch.every(({ tenantId }) => tenantId !== '')) {
      try {
        await this.#commit(batch);
        return;
      } catch (error) {
        this.#options.bus.log.debug(
          { err: error, events: batch.length },
          'a batch failed; handling one by one',
        );
      }
    }
    for (const taken of batch) await this.#settleOne(taken);
  }

  async #settleOne(taken: Taken<Deps>): Promise<void> {
    await runInContext(contextOf(taken.message.headers), async () => {
      try {
        await this.#commit([taken]);
      } catch (error) {
        await this.#fail(taken, error);
      }
    });
  }

  async #commit(batch: Taken<Deps>[]): Promise<void> {
    const areNew = isExpectedNew(batch) && (await handleAsNew(this.#options, batch));
    if (!areNew) await handleOnce(this.#options, batch);
    await failpoint(`${this.#options.schema}.consumer.before-ack`);
    for (const { message, id } of batch) {
      message.ack();
      this.#putOff.delete(id);
    }
  }

  async #fail({ message, id, subscription }: Taken<Deps>, error: unknown): Promise<void> {
    const { bus, database, schema } = this.#options;
    if (isOutage(error)) {
      this.#showPutOff(id, error);
      message.nak(outageRetryMs);
      return;
    }
    bus.log.error({ err: error, eventId: id, event: subscription.event.name }, 'an event failed');
    try {
      const { attempts, retryInMs } = await recordFailure(database, schema, id, textOf(error));
      if (retryInMs === null) await this.#giveUp(message, id, attempts, error);
      else message.nak(retryInMs);
    } catch (unrecorded) {
      bus.log.warn({ err: unrecorded, eventId: id }, 'a failure could not be recorded');
      message.nak(outageRetryMs);
    }
  }

  get #handling(): string {
    return `handling events of ${this.#options.owner}`;
  }

  /** The database's own outages are reported separately. */
  #showPutOff(id: string, error: unknown): void {
    this.#putOff.set(id, performance.now());
    if (isConnectionFailure(error)) return;
    const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
    const remedy =
      'See to what it names: a service that does not answer, or a lock that is held in the database.';
    this.#options.bus.stalls.failed(this.#handling, { reason, remedy, error });
  }

  #forgetPutOff(): void {
    const since = performance.now() - forgottenAfterMs;
    for (const [id, triedAt] of this.#putOff) if (triedAt < since) this.#putOff.delete(id);
    if (this.#putOff.size === 0) this.#options.bus.stalls.recovered(this.#handling);
  }

  async #giveUp(message: JsMsg, eventId: string, attempts: number, error: unknown): Promise<void> {
    const { bus, database, schema } = this.#options;
    try {
      await deadLetter(database, schema, {
        eventId,
        subject: message.subject,
        data: message.string(),
        attempts,
        lastError: textOf(error),
      });
      bus.log.error({ err: error, eventId, subject: message.subject }, 'an event is dead');
      message.ack();
    } catch (unrecorded) {
      bus.log.warn({ err: unrecorded, eventId }, 'a dead event could not be kept');
      message.nak(outageRetryMs);
    }
  }
}
