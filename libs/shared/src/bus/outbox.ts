import { setTimeout as pause } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import {
  type AnyTx,
  type Database,
  type PlatformTx,
  withPlatform,
  withPlatformRelaxed,
} from '../db/database.ts';
import { failpoint } from '../service/failpoint.ts';
import { currentContext } from '../tracing/context.ts';
import { Turns } from '../work/turns.ts';
import { type Bus, traceHeaders } from './bus.ts';
import type { DataOf, EventScope, EventType } from './definition.ts';
import { ensureStream, streamMaxAgeHours } from './streams.ts';

/** A row of the outbox: an event that was committed and is on its way to the bus. */
export interface OutboxRow {
  id: string;
  subject: string;
  data: string;
  traceparent: string | null;
}

const sweepEveryMs = 1000;
const pruneEveryMs = 3600_000;
const sweepBatch = 500;
const maxMarkBatch = 1000;
/** Events on their way to the bus at once: enough to keep it busy, and few to wait for when one's turn comes. */
const maxSending = 64;
/** What waits beyond that; more is left to the sweep. */
const maxWaiting = 20_000;
/** Marks wait so long for others; far less than what makes an event overdue. */
const markAfterMs = 50;

/**
 * Events leave by the outbox only (reliability, rule 2): the row is written in the caller's transaction, published
 * right after the commit with its id as `Nats-Msg-Id`, and marked after the PubAck. A sweep sends again what stayed
 * unconfirmed; when the stream turns out to be a new one, everything of its last 72 hours is sent again. Tenants take
 * turns, so that one that floods holds nobody else's events back.
 */
export class Outbox {
  readonly #bus: Bus;
  readonly #database: Database;
  readonly #schema: string;
  /** Handed over: waiting for their turn, or on their way. */
  readonly #inFlight = new Set<string>();
  readonly #waiting = new Turns<OutboxRow>();
  #sending = 0;
  readonly #timers: NodeJS.Timeout[] = [];
  #confirmed: string[] = [];
  #marking: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  readonly #listeners: { event: EventType; tell: (data: never) => void }[] = [];

  constructor(options: { bus: Bus; database: Database; schema: string }) {
    this.#bus = options.bus;
    this.#database = options.database;
    this.#schema = options.schema;
  }

  start(): void {
    this.#bus.onConnect(() => void this.#onConnect());
    this.#timers.push(setInterval(() => void this.#sweep(), sweepEveryMs).unref());
    this.#timers.push(setInterval(() => void this.#prune(), pruneEveryMs).unref());
  }

  /** Waits until what was handed over is published and marked, as far as the bus allows it. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#sweeping;
    while (this.#bus.isConnected && this.#inFlight.size > 0) await pause(5);
    await this.#marking;
  }

  /** Tells of each event of this type that is emitted here, as soon as it is committed and before anybody hears of that. */
  onCommit<E extends EventType>(event: E, tell: (data: DataOf<E>) => void): void {
    this.#listeners.push({ event, tell });
  }

  /**
   * Makes the row of an event without writing it, for statements that write many rows at once. The data is not
   * parsed again: the caller vouches for it, and may leave out what its statement fills in.
   */
  draft<E extends EventType>(event: E, data: Partial<DataOf<E>> & EventScope): OutboxRow {
    return {
      id: uuidv7(),
      subject: this.#bus.names.event(event, data),
      data: JSON.stringify(data),
      traceparent: currentContext()?.traceparent ?? null,
    };
  }

  /** Writes an event in the caller's transaction; it is published when that commits. Returns the event's id. */
  async emit<E extends EventType>(tx: AnyTx, event: E, data: DataOf<E>): Promise<string> {
    const row = this.draft(event, event.schema.parse(data) as DataOf<E> & EventScope);
    await tx.query({
      name: `${this.#schema}.outbox.insert`,
      text: `insert into ${this.#schema}.outbox (id, subject, data, traceparent) values ($1, $2, $3, $4)`,
      values: [row.id, row.subject, row.data, row.traceparent],
    });
    tx.afterCommit(() => this.#committed(event, [data], [row]));
    return row.id;
  }

  /** Writes many events of a type at once, in their order. */
  async emitAll<E extends EventType>(tx: AnyTx, event: E, all: readonly DataOf<E>[]): Promise<void> {
    if (all.length === 0) return;
    const rows = all.map((data) => this.draft(event, event.schema.parse(data) as DataOf<E> & EventScope));
    await tx.query({
      name: `${this.#schema}.outbox.insert_all`,
      text: `insert into ${this.#schema}.outbox (id, subject, data, traceparent)
             select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])`,
      values: [
        rows.map(({ id }) => id),
        rows.map(({ subject }) => subject),
        rows.map(({ data }) => data),
        rows.map(({ traceparent }) => traceparent),
      ],
    });
    tx.afterCommit(() => this.#committed(event, all, rows));
  }

  #committed<E extends EventType>(event: E, all: readonly DataOf<E>[], rows: readonly OutboxRow[]): void {
    for (const listener of this.#listeners)
      if (listener.event === event) for (const data of all) listener.tell(data as never);
    this.publish(rows);
  }

  /** Publishes rows that are committed. Failures are left to the sweep. */
  publish(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      if (this.#inFlight.has(row.id) || this.#waiting.size >= maxWaiting) continue;
      this.#inFlight.add(row.id);
      this.#waiting.add(this.#bus.names.tenantOf(row.subject), row);
    }
    this.#sendNext();
  }

  #sendNext(): void {
    for (const row of this.#waiting.take(maxSending - this.#sending)) {
      this.#sending += 1;
      this.#send(row)
        .catch((error: unknown) =>
          this.#bus.log.debug({ err: error, eventId: row.id }, 'an event waits for the bus'),
        )
        .finally(() => {
          this.#sending -= 1;
          this.#inFlight.delete(row.id);
          this.#sendNext();
        });
    }
  }

  /** How many events are committed and not published; 10,000 stands for more. */
  async countWaiting(): Promise<number> {
    const [row] = await withPlatform(this.#database, 'outbox depth', (tx) =>
      tx.query<{ waiting: number }>({
        name: `${this.#schema}.outbox.waiting`,
        text: `select count(*)::int as waiting from (select from ${this.#schema}.outbox where published_at is null limit 10000) o`,
        values: [],
      }),
    );
    return row?.waiting ?? 0;
  }

  async #send(row: OutboxRow): Promise<void> {
    const { jetstream } = this.#bus.live();
    await failpoint(`${this.#schema}.outbox.before-publish`);
    await jetstream.publish(row.subject, row.data, {
      msgID: row.id,
      timeout: 5000,
      headers: traceHeaders(row.traceparent ?? undefined),
    });
    await failpoint(`${this.#schema}.outbox.before-mark`);
    this.#confirmed.push(row.id);
    this.#marking ??= this.#mark();
  }

  /** Marks all that was confirmed within a moment in one statement: nobody waits for it. */
  async #mark(): Promise<void> {
    // The last step of the loop and the reset are one turn, so that nothing can be confirmed in between and stay behind.
    while (this.#confirmed.length > 0) {
      await pause(markAfterMs);
      const ids = this.#confirmed.splice(0, maxMarkBatch);
      try {
        await withPlatformRelaxed(this.#database, 'outbox mark', (tx) =>
          tx.query({
            name: `${this.#schema}.outbox.mark`,
            text: `update ${this.#schema}.outbox set published_at = now() where id = any ($1::uuid[])`,
            values: [ids],
          }),
        );
      } catch (error) {
        this.#bus.log.warn({ err: error }, 'published events could not be marked; they are sent again');
      }
    }
    this.#marking = undefined;
  }

  async #sweep(): Promise<void> {
    if (!this.#bus.isConnected) return;
    this.#sweeping ??= this.#republishOverdue()
      .catch((error: unknown) => this.#bus.log.warn({ err: error }, 'the outbox sweep failed'))
      .finally(() => {
        this.#sweeping = undefined;
      });
    await this.#sweeping;
  }

  async #republishOverdue(): Promise<void> {
    for (;;) {
      const rows = await withPlatform(this.#database, 'outbox sweep', (tx) => this.#overdue(tx));
      const waiting = rows.filter((row) => !this.#inFlight.has(row.id));
      this.publish(waiting);
      if (rows.length < sweepBatch || waiting.length === 0) return;
      await this.#drained(waiting);
    }
  }

  #overdue(tx: PlatformTx): Promise<OutboxRow[]> {
    return tx.query<OutboxRow & Record<string, unknown>>({
      name: `${this.#schema}.outbox.overdue`,
      text: `select id, subject, data, traceparent from ${this.#schema}.outbox
             where published_at is null and created_at < now() - interval '1 second' order by id limit ${sweepBatch}`,
      values: [],
    });
  }

  /** Resolves when these rows were sent or have failed, so that a backlog leaves in order and in bounds. */
  async #drained(rows: readonly OutboxRow[]): Promise<void> {
    while (rows.some((row) => this.#inFlight.has(row.id))) await pause(5);
    await this.#marking;
  }

  async #onConnect(): Promise<void> {
    try {
      const createdAt = await ensureStream(this.#bus);
      await withPlatform(this.#database, 'stream check', (tx) => this.#reviveAfterLoss(tx, createdAt));
    } catch (error) {
      this.#bus.log.warn({ err: error }, 'the stream could not be prepared; trying again');
      setTimeout(() => this.#bus.isConnected && void this.#onConnect(), 500).unref();
    }
  }

  /** A stream with another moment of creation lost what was published to its predecessor: all of it goes out again. */
  async #reviveAfterLoss(tx: PlatformTx, createdAt: string): Promise<void> {
    const name = this.#bus.names.stream(this.#bus.service);
    const [known] = await tx.query<{ created_at: string }>({
      name: `${this.#schema}.streams.get`,
      text: `select created_at from ${this.#schema}.streams where name = $1 for update`,
      values: [name],
    });
    if (known?.created_at === createdAt) return;
    if (known) {
      this.#bus.log.warn(
        { stream: name },
        'the stream is a new one: events of its last 72 hours are sent again',
      );
      await tx.query({
        name: `${this.#schema}.outbox.revive`,
        text: `update ${this.#schema}.outbox set published_at = null where created_at > now() - make_interval(hours => $1)`,
        values: [streamMaxAgeHours],
      });
    }
    await tx.query({
      name: `${this.#schema}.streams.put`,
      text: `insert into ${this.#schema}.streams (name, created_at) values ($1, $2)
             on conflict (name) do update set created_at = excluded.created_at`,
      values: [name, createdAt],
    });
  }

  /** Rows are kept as long as the stream keeps events; identifiers of consumed ones for 8 days. */
  async #prune(): Promise<void> {
    try {
      await withPlatform(this.#database, 'outbox prune', async (tx) => {
        await tx.query({
          name: `${this.#schema}.outbox.prune`,
          text: `delete from ${this.#schema}.outbox where published_at < now() - make_interval(hours => $1)`,
          values: [streamMaxAgeHours],
        });
        await tx.query({
          name: `${this.#schema}.inbox.prune`,
          text: `delete from ${this.#schema}.inbox where consumed_at < now() - interval '8 days'`,
          values: [],
        });
      });
    } catch (error) {
      this.#bus.log.warn({ err: error }, 'old events could not be pruned');
    }
  }
}
