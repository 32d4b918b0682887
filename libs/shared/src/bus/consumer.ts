import { AckPolicy, type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import {
  type Database,
  keptOpen,
  plannedOnce,
  type TenantTx,
  withPlatform,
  withTenant,
} from '../db/database.ts';
import { isConnectionFailure, isLockConflict } from '../db/failures.ts';
import { HttpError } from '../http/errors.ts';
import { withoutSecrets } from '../log/log.ts';
import { failpoint } from '../service/failpoint.ts';
import { runInContext } from '../tracing/context.ts';
import { Turns } from '../work/turns.ts';
import { type Bus, contextOf } from './bus.ts';
import { deadLetter, recordFailure } from './dead-letters.ts';
import type { DataOf, EventScope, EventType } from './definition.ts';
import { idleHeartbeatMs, untilSilent } from './reading/silence.ts';

/** An event as a handler gets it. */
export interface Received<E extends EventType = EventType> {
  id: string;
  data: DataOf<E>;
  traceparent: string | undefined;
}

/** A line of a service's table of consumers. The handler's effect commits together with the mark in the inbox. */
export interface Subscription<Deps> {
  event: EventType;
  handle(tx: TenantTx, events: Received[], deps: Deps): Promise<void>;
  /** Which of the events are to be handled at all; asked beside the inbox, so that it costs no round trip. */
  sift?(tx: TenantTx, events: readonly Received[]): Promise<(event: Received) => boolean>;
}

/** Handles events one at a time. */
export function on<E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, event: Received<E>, deps: Deps) => Promise<void>,
): Subscription<Deps> {
  return onBatch<E, Deps>(event, async (tx, events, deps) => {
    for (const received of events) await handle(tx, received, deps);
  });
}

/** Handles all events that arrived together, in their order, in one transaction. */
export function onBatch<E extends EventType, Deps>(
  event: E,
  handle: (tx: TenantTx, events: Received<E>[], deps: Deps) => Promise<void>,
): Subscription<Deps> {
  return { event, handle: (tx, events, deps) => handle(tx, events as Received<E>[], deps) };
}

interface Parsed<Deps> extends Received {
  message: JsMsg;
  subscription: Subscription<Deps>;
  tenantId: string;
}

export interface ConsumerOptions<Deps> {
  bus: Bus;
  database: Database;
  schema: string;
  /** Stream owner whose events these subscriptions take. */
  owner: string;
  subscriptions: readonly Subscription<Deps>[];
  deps: Deps;
}

const maxBatch = 100;
/** What one service has taken of an owner's stream at once; among these events tenants take turns. */
const maxTaken = 2000;
/** What a killed process had taken comes again after this, so that it goes on within 10 s (promise P7). */
const ackWaitNanos = 8 * 1e9;

/**
 * Takes one owner's events for one service; instances share the durable consumer (reliability, rules 3 and 5).
 * What arrives while a transaction runs is handled together in the next one, tenants taking turns; when that fails, each
 * event on its own.
 * An event is acknowledged after its commit and never on failure.
 */
export class Consumer<Deps> {
  readonly #options: ConsumerOptions<Deps>;
  readonly #waiting = new Turns<JsMsg>();
  readonly #byName: ReadonlyMap<string, Subscription<Deps>>;
  #messages: ConsumerMessages | undefined;
  #working: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: ConsumerOptions<Deps>) {
    this.#options = options;
    this.#byName = new Map(
      options.subscriptions.map((subscription) => [subscription.event.name, subscription]),
    );
  }

  start(): void {
    this.#follow()
      .catch((error: unknown) =>
        this.#options.bus.log.debug({ err: error, owner: this.#options.owner }, 'cannot consume yet'),
      )
      .finally(() => {
        if (!this.#isStopped) setTimeout(() => this.start(), 250).unref();
      });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#messages?.stop();
    this.#waiting.clear();
    await this.#working;
  }

  async #follow(): Promise<void> {
    const { bus, owner, subscriptions } = this.#options;
    const { jetstream, manager } = bus.live();
    const stream = bus.names.stream(owner);
    await manager.consumers.add(stream, {
      durable_name: bus.service,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: ackWaitNanos,
      max_deliver: -1,
      max_ack_pending: maxTaken,
      filter_subjects: subscriptions.map(({ event }) => bus.names.everyEvent(event)),
    });
    const consumer = await jetstream.consumers.get(stream, bus.service);
    if (this.#isStopped) return;
    this.#messages = await consumer.consume({
      max_messages: 500,
      idle_heartbeat: idleHeartbeatMs,
      abort_on_missing_resource: true,
      callback: (message) => this.#take(message),
    });
    await untilSilent(bus, this.#messages);
  }

  #take(message: JsMsg): void {
    if (this.#isStopped) return;
    this.#waiting.add(this.#options.bus.names.tenantOf(message.subject), message);
    this.#working ??= this.#work().catch((error: unknown) => {
      this.#options.bus.log.error({ err: error }, 'events could not be settled; they come again');
    });
  }

  async #work(): Promise<void> {
    try {
      while (this.#waiting.size > 0) {
        const batch: Parsed<Deps>[] = [];
        for (const message of this.#waiting.take(maxBatch)) {
          const parsed = await this.#parse(message);
          if (parsed) batch.push(parsed);
        }
        await this.#settleTogether(batch);
      }
    } finally {
      // In one turn with the loop's last look, so that no message can come in between and stay behind.
      this.#working = undefined;
    }
  }

  /** An event that can't be read now can never be read: it is dead at once. */
  async #parse(message: JsMsg): Promise<Parsed<Deps> | undefined> {
    const id = message.headers?.get('Nats-Msg-Id') ?? '';
    const subscription = this.#byName.get(this.#options.bus.names.eventNameOf(message.subject));
    try {
      if (!subscription) throw new Error('no subscription for this event');
      const data = subscription.event.schema.parse(message.json()) as EventScope;
      const traceparent = message.headers?.get('traceparent') || undefined;
      return { id, data, traceparent, message, subscription, tenantId: data.tenantId ?? '' };
    } catch (error) {
      await this.#giveUp(message, id, 1, error);
      return undefined;
    }
  }

  async #settleTogether(batch: Parsed<Deps>[]): Promise<void> {
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
    for (const parsed of batch) await this.#settleOne(parsed);
  }

  async #settleOne(parsed: Parsed<Deps>): Promise<void> {
    await runInContext(contextOf(parsed.message.headers), async () => {
      try {
        await this.#commit([parsed]);
      } catch (error) {
        await this.#fail(parsed, error);
      }
    });
  }

  async #commit(batch: Parsed<Deps>[]): Promise<void> {
    const { database, schema } = this.#options;
    const work = async (tx: TenantTx) => {
      const [fresh, isWanted] = await Promise.all([this.#insertInbox(tx, batch), sift(tx, batch)]);
      await failpoint(`${schema}.consumer.before-commit`);
      const runs = runsOf(fresh.filter(isWanted));
      for (const run of runs) {
        const inTurn = run === runs.at(-1) ? tx : keptOpen(tx);
        await run.subscription.handle(inTurn, run.events, this.#options.deps);
      }
    };
    const tenantIds = [...new Set(batch.map(({ tenantId }) => tenantId))].filter(
      (tenantId) => tenantId !== '',
    );
    if (tenantIds.length > 0) await withTenant(plannedOnce(database), tenantIds, work);
    else await withPlatform(database, 'platform event', (tx) => work(tx as unknown as TenantTx));
    await failpoint(`${schema}.consumer.before-ack`);
    for (const { message } of batch) message.ack();
  }

  async #insertInbox(tx: TenantTx, batch: Parsed<Deps>[]): Promise<Parsed<Deps>[]> {
    const { schema } = this.#options;
    const rows = await tx.query<{ event_id: string }>({
      name: `${schema}.inbox.insert`,
      text: `insert into ${schema}.inbox (event_id) select distinct unnest ($1::uuid[]) order by 1
             on conflict do nothing returning event_id`,
      values: [batch.map(({ id }) => id)],
    });
    const fresh = new Set(rows.map((row) => row.event_id));
    return batch.filter(({ id }) => fresh.delete(id));
  }

  async #fail(parsed: Parsed<Deps>, error: unknown): Promise<void> {
    const { bus, database, schema } = this.#options;
    const isOutage =
      isConnectionFailure(error) ||
      isLockConflict(error) ||
      (error instanceof HttpError && error.status === 503);
    if (isOutage) {
      parsed.message.nak(1000);
      return;
    }
    bus.log.error(
      { err: error, eventId: parsed.id, event: parsed.subscription.event.name },
      'an event failed',
    );
    try {
      const { attempts, retryInMs } = await recordFailure(database, schema, parsed.id, textOf(error));
      if (retryInMs === null) await this.#giveUp(parsed.message, parsed.id, attempts, error);
      else parsed.message.nak(retryInMs);
    } catch (unrecorded) {
      bus.log.warn({ err: unrecorded, eventId: parsed.id }, 'a failure could not be recorded');
      parsed.message.nak(1000);
    }
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
      message.nak(1000);
    }
  }
}

const textOf = (error: unknown): string => withoutSecrets(String(error)).slice(0, 1000);

/** Asks each subscription of a batch, all at once. */
async function sift<Deps>(
  tx: TenantTx,
  batch: readonly Parsed<Deps>[],
): Promise<(event: Parsed<Deps>) => boolean> {
  const sifts = Map.groupBy(batch, ({ subscription }) => subscription.sift);
  const verdicts = [...sifts].map(async ([ask, events]) => [ask, await ask?.(tx, events)] as const);
  const isWanted = new Map(await Promise.all(verdicts));
  return (event) => isWanted.get(event.subscription.sift)?.(event) ?? true;
}

/** Neighbours of the same kind, so that a handler of batches gets them together and order is kept. */
function runsOf<Deps>(batch: Parsed<Deps>[]): { subscription: Subscription<Deps>; events: Parsed<Deps>[] }[] {
  const runs: { subscription: Subscription<Deps>; events: Parsed<Deps>[] }[] = [];
  for (const parsed of batch) {
    const last = runs.at(-1);
    if (last?.subscription === parsed.subscription) last.events.push(parsed);
    else runs.push({ subscription: parsed.subscription, events: [parsed] });
  }
  return runs;
}
