import type { DataOf, EventScope, EventType } from '@botyard/contracts/events/definition';
import { v7 as uuidv7 } from 'uuid';
import type { AnyTx, Database } from '../db/database.ts';
import { toJson } from '../db/to-json.ts';
import { currentContext } from '../tracing/context.ts';
import type { DueWatch } from '../work/due-watch.ts';
import { createPeriodic, type Periodic } from '../work/periodic.ts';
import type { Bus } from './bus.ts';
import { OutboxRelay } from './outbox-relay.ts';
import { countWaiting, isOverdue, newRows, type OutboxRow, prune } from './outbox-rows.ts';

const pruneEveryMs = 3600_000;

/**
 * Events are published only through the outbox (REQ-REL-2): the row is written in the caller's transaction and
 * published right after the commit.
 */
export class Outbox {
  readonly #bus: Bus;
  readonly #database: Database;
  readonly #schema: string;
  readonly #relay: OutboxRelay;
  readonly #pruning: Periodic;
  readonly #listeners: { event: EventType; tell: (data: never) => void }[] = [];

  constructor(options: { bus: Bus; database: Database; schema: string }) {
    this.#bus = options.bus;
    this.#database = options.database;
    this.#schema = options.schema;
    this.#relay = new OutboxRelay(options);
    this.#pruning = createPeriodic({
      name: 'prune old events',
      everyMs: pruneEveryMs,
      work: () => prune(options.database, options.schema),
      log: options.bus.log,
    });
  }

  start(): void {
    this.#relay.start();
    this.#pruning.start();
  }

  /** Lets the watch report overdue events. Without a watch the outbox looks every second. */
  watchedBy(due: Pick<DueWatch, 'add'>): void {
    due.add({ name: 'outbox', isDue: isOverdue(this.#schema), wake: () => void this.#relay.sweep() });
    this.#relay.isCalled = true;
  }

  /** Waits until queued events are published and marked, as far as the bus allows. */
  async stop(): Promise<void> {
    await Promise.all([this.#pruning.stop(), this.#relay.stop()]);
  }

  /** Calls `tell` for each event of this type that is emitted here, after the commit and before it is published. */
  onCommit<E extends EventType>(event: E, tell: (data: DataOf<E>) => void): void {
    this.#listeners.push({ event, tell });
  }

  /** Creates an event's row without writing it. The data is not validated: the caller guarantees it. */
  draft<E extends EventType>(event: E, data: DataOf<E> & EventScope): OutboxRow {
    return {
      id: uuidv7(),
      subject: this.#bus.names.event(event, data),
      data: toJson(data),
      traceparent: currentContext()?.traceparent ?? null,
    };
  }

  /** Writes events of a type in the caller's transaction, in one statement; they are published after the commit. */
  async emit<E extends EventType>(tx: AnyTx, event: E, ...all: readonly DataOf<E>[]): Promise<void> {
    const rows = all.map((data) => this.draft(event, event.schema.parse(data) as DataOf<E> & EventScope));
    tx.afterCommit(() => {
      for (const listener of this.#listeners)
        if (listener.event === event) for (const data of all) listener.tell(data as never);
    });
    await this.write(tx, rows);
  }

  /** Writes drafted events in their order; they are published after the commit. */
  async write(tx: AnyTx, rows: readonly OutboxRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.query({
      name: `${this.#schema}.outbox.insert_all`,
      text: `insert into ${this.#schema}.outbox (${newRows.columns}) select * from ${newRows}`,
      values: newRows.values(rows),
    });
    tx.afterCommit(() => this.publish(rows));
  }

  /** Publishes committed rows. Failures are left to the sweep. */
  publish(rows: readonly OutboxRow[]): void {
    this.#relay.publish(rows);
  }

  /** Compares the stream with what was published, and creates it if it is missing. */
  checkStream(): Promise<void> {
    return this.#relay.check();
  }

  /** The number of events that are committed and not published, counted up to 10,000. */
  countWaiting(): Promise<number> {
    return countWaiting(this.#database, this.#schema);
  }
}
