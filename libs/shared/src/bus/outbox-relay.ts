import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { isConnectionFailure } from '../db/failures.ts';
import { withoutSecrets } from '../log/without-secrets.ts';
import { failpoint } from '../service/failpoint.ts';
import { RoundRobinQueue } from '../work/round-robin-queue.ts';
import { type Bus, traceHeaders } from './bus.ts';
import { isNoResponder } from './connecting.ts';
import { deadLetter } from './dead-letters.ts';
import {
  listOverdue,
  markPublished,
  markUnpublishable,
  type OutboxRow,
  type Published,
} from './outbox-rows.ts';
import { checkStream } from './stream-check.ts';

const sweepEveryMs = 1000;
const sweepBatch = 500;
const maxMarkBatch = 1000;
/** Limit of events in flight: enough to keep the bus busy, and few enough to wait for at a tenant's turn. */
const maxSending = 64;
/** Limit of further events that wait in memory; the sweep publishes the rest. */
const maxWaiting = 20_000;
/** Delay for collecting marks. Shorter than the time after which an event is overdue and would be sent again. */
const markAfterMs = 500;
/** Short enough that a server that accepts no message shows within 10 s (REQ-REL-22). */
const publishTimeoutMs = 4000;
const checkAgainAfterMs = 500;
/** Upper bound of a message's headers. */
const headerBytes = 1024;

/**
 * Publishes committed events to the stream, with the row's id as `Nats-Msg-Id`, and marks them after the PubAck. A
 * sweep sends unconfirmed events again. Tenants take turns, so that one tenant's flood doesn't delay the events of
 * others. Nothing is sent before the stream was compared with what was published before.
 */
export class OutboxRelay {
  readonly #bus: Bus;
  readonly #database: Database;
  readonly #schema: string;
  /** Ids of events that are queued or in flight. */
  readonly #inFlight = new Set<string>();
  readonly #waiting = new RoundRobinQueue<OutboxRow>();
  /** Errors of events that could not be published, by event id, until the sweep finds none of them left. */
  readonly #failing = new Map<string, unknown>();
  #sending = 0;
  #sweepTimer: NodeJS.Timeout | undefined;
  /** True if a watch calls `sweep` when an event is overdue. */
  isCalled = false;
  /** Stream positions of published events that aren't marked yet, by event id. */
  readonly #confirmed = new Map<string, number>();
  #markTimer: NodeJS.Timeout | undefined;
  #marking: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #checking: Promise<void> | undefined;
  #epoch = 0;
  /** Highest acknowledged sequence since the last comparison. */
  #highestSeq = 0;
  /** Whether the stream was compared since the current connection was established. */
  #isChecked = true;
  #isCheckWanted = false;

  constructor({ bus, database, schema }: { bus: Bus; database: Database; schema: string }) {
    this.#bus = bus;
    this.#database = database;
    this.#schema = schema;
  }

  start(): void {
    this.#isChecked = false;
    this.#bus.onConnect(() => void this.check());
    this.#sweepTimer = setInterval(() => this.#sweepUncalled(), sweepEveryMs).unref();
  }

  /** Waits until queued events are published and marked, as far as the bus allows. */
  async stop(): Promise<void> {
    clearInterval(this.#sweepTimer);
    await this.#sweeping;
    while (this.#bus.isConnected && this.#isChecked && this.#inFlight.size > 0) await pause(5);
    while (this.#marking || this.#confirmed.size > 0) await this.#markNow();
  }

  /** Publishes committed rows. Failures are left to the sweep. */
  publish(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      if (this.#inFlight.has(row.id) || this.#waiting.size >= maxWaiting) continue;
      this.#inFlight.add(row.id);
      this.#waiting.add(this.#bus.names.tenantOf(row.subject), row);
    }
    this.#sendNext();
  }

  #sendNext(): void {
    if (!this.#isChecked) return;
    for (const row of this.#waiting.take(maxSending - this.#sending)) {
      this.#sending += 1;
      this.#send(row)
        .catch((error: unknown) => this.#noteFailure(row, error))
        .finally(() => {
          this.#sending -= 1;
          this.#inFlight.delete(row.id);
          this.#sendNext();
        });
    }
  }

  async #send(row: OutboxRow): Promise<void> {
    const { jetstream, connection } = this.#bus.live();
    const maxBytes = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (row.data.length * 3 + headerBytes > maxBytes) {
      const bytes = Buffer.byteLength(row.data) + headerBytes;
      if (bytes > maxBytes) return await this.#giveUp(row, `of ${bytes} bytes; the bus takes ${maxBytes}`);
    }
    await failpoint(`${this.#schema}.outbox.before-publish`);
    const epoch = this.#epoch;
    const { seq, duplicate } = await jetstream.publish(row.subject, row.data, {
      msgID: row.id,
      timeout: publishTimeoutMs,
      headers: traceHeaders(row.traceparent ?? undefined),
    });
    await failpoint(`${this.#schema}.outbox.before-mark`);
    // A stream that was reset during this connection continues with a lower sequence.
    if (seq < this.#highestSeq && !duplicate) void this.check();
    if (!duplicate) this.#highestSeq = Math.max(seq, this.#highestSeq);
    if (epoch !== this.#epoch) return;
    this.#confirmed.set(row.id, seq);
    this.#markSoon();
  }

  async #giveUp({ id: eventId, subject, data }: OutboxRow, size: string): Promise<void> {
    const lastError = `the event can't be published: it is ${size}`;
    await deadLetter(this.#database, this.#schema, { eventId, subject, data, attempts: 1, lastError });
    await markUnpublishable(this.#database, this.#schema, eventId);
    this.#bus.log.error({ eventId, subject }, lastError);
  }

  #noteFailure(row: OutboxRow, error: unknown): void {
    this.#bus.log.debug({ err: error, eventId: row.id }, 'an event waits for the bus');
    if (!this.#bus.isConnected) return;
    this.#failing.set(row.id, error);
    this.#showFailing();
    // No stream has this subject: the stream was deleted.
    if (isNoResponder(error)) void this.check();
  }

  #showFailing(): void {
    const [error] = this.#failing.values();
    if (error === undefined || !this.#bus.isConnected) return;
    this.#bus.stalls.failed('outbox', {
      reason: `NATS takes no event: ${reasonOf(error)}`,
      remedy: `Look at nats-server's disk, at the stream ${this.#stream} and at what the service's login may do; events wait in the database meanwhile.`,
      error,
    });
  }

  /** Marks confirmed events in one statement after a short delay: the marks are not urgent. */
  #markSoon(): void {
    if (this.#confirmed.size >= maxMarkBatch) void this.#markNow();
    else this.#markTimer ??= setTimeout(() => void this.#markNow(), markAfterMs);
  }

  #markNow(): Promise<void> {
    clearTimeout(this.#markTimer);
    this.#markTimer = undefined;
    this.#marking ??= this.#mark().finally(() => {
      this.#marking = undefined;
      // Runs in the same turn as the reset, so that nothing that was confirmed meanwhile is left.
      if (this.#confirmed.size > 0) this.#markSoon();
    });
    return this.#marking;
  }

  async #mark(): Promise<void> {
    const published = [...this.#confirmed].slice(0, maxMarkBatch).map(([id, seq]) => ({ id, seq }));
    for (const { id } of published) this.#confirmed.delete(id);
    try {
      if (published.length > 0) {
        await this.#markThese(published);
        this.#bus.stalls.recovered('marks of published events');
      }
    } catch (error) {
      this.#showDatabaseFailure('marks of published events', error);
    }
  }

  async #markThese(published: readonly Published[]): Promise<void> {
    const epoch = this.#epoch;
    const mark = () =>
      markPublished(this.#database, this.#schema, { stream: this.#stream, epoch, published });
    if ((await mark()) > 0) return;
    // Either the stream isn't known yet, or another process found that it lost events: then these are sent again.
    await this.check();
    if (this.#epoch === epoch) await mark();
  }

  /** Sweeps failed events: another process may have published them, which ends the fault. */
  #sweepUncalled(): void {
    if (!this.isCalled || this.#failing.size > 0) void this.sweep();
  }

  /** Publishes overdue events, one sweep at a time. */
  async sweep(): Promise<void> {
    if (!this.#bus.isConnected || !this.#isChecked) return;
    this.#showFailing();
    this.#sweeping ??= this.#republishOverdue()
      .then(
        () => this.#bus.stalls.recovered('outbox sweep'),
        (error: unknown) => this.#showDatabaseFailure('outbox sweep', error),
      )
      .finally(() => {
        this.#sweeping = undefined;
      });
    await this.#sweeping;
  }

  async #republishOverdue(): Promise<void> {
    for (;;) {
      const rows = await listOverdue(this.#database, this.#schema, sweepBatch);
      if (rows.length < sweepBatch) this.#forgetPublished(rows);
      const waiting = rows.filter(({ id }) => !this.#inFlight.has(id) && !this.#confirmed.has(id));
      this.publish(waiting);
      if (rows.length < sweepBatch || waiting.length === 0) return;
      await this.#drained(waiting);
    }
  }

  #forgetPublished(overdue: readonly OutboxRow[]): void {
    const ids = new Set(overdue.map(({ id }) => id));
    for (const id of this.#failing.keys()) if (!ids.has(id)) this.#failing.delete(id);
    if (this.#failing.size === 0) this.#bus.stalls.recovered('outbox');
  }

  /** Resolves when these rows were sent or have failed, so that a backlog leaves in order and within bounds. */
  async #drained(rows: readonly OutboxRow[]): Promise<void> {
    while (this.#isChecked && rows.some((row) => this.#inFlight.has(row.id))) await pause(5);
    while (rows.some((row) => this.#confirmed.has(row.id))) await this.#markNow();
    await this.#marking;
  }

  /** Compares the stream with the outbox. Nothing is sent until that is done. */
  check(): Promise<void> {
    this.#isChecked = false;
    this.#isCheckWanted = true;
    this.#checking ??= this.#checkWhileWanted().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Repeats a check that was requested while one was running: the connection or the reason may be different. */
  async #checkWhileWanted(): Promise<void> {
    while (this.#isCheckWanted && this.#bus.isConnected) {
      this.#isCheckWanted = false;
      try {
        const checked = { bus: this.#bus, database: this.#database, schema: this.#schema };
        const epoch = await checkStream(checked);
        if (epoch !== this.#epoch) this.#confirmed.clear();
        this.#epoch = epoch;
        this.#highestSeq = 0;
        this.#bus.stalls.recovered('stream');
      } catch (error) {
        this.#isCheckWanted = true;
        this.#showDatabaseFailure('stream', error);
        await pause(checkAgainAfterMs, undefined, { ref: false });
      }
    }
    if (this.#isCheckWanted) return;
    // Runs in the same turn as the loop's last check.
    this.#isChecked = true;
    this.#sendNext();
  }

  /** Outages of the database and of the bus are reported separately. */
  #showDatabaseFailure(part: string, error: unknown): void {
    if (isConnectionFailure(error) || !this.#bus.isConnected) return;
    const remedy = `Look at ${this.#schema}.outbox and ${this.#schema}.streams in the database, and at the stream ${this.#stream} in NATS.`;
    this.#bus.stalls.failed(part, { reason: reasonOf(error), remedy, error });
  }

  get #stream(): string {
    return this.#bus.names.stream(this.#bus.service);
  }
}

const reasonOf = (error: unknown): string =>
  withoutSecrets(error instanceof Error ? error.message : String(error));
