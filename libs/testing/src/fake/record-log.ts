/**
 * A fake's records, in order, for tests that must wait for something to happen: `waitFor` checks existing records and
 * then every record that is added or changed. It never polls.
 */
import { inspect } from 'node:util';
import { patienceMs } from '../eventually.ts';

type Waiter<T> = { matches: (record: T) => boolean; found: (record: T) => void };

export class RecordLog<T> {
  readonly #keep: number;
  readonly #waiters = new Set<Waiter<T>>();
  #records: T[] = [];

  /** Keeps only the newest `keep` records, so that a sandbox that runs for weeks does not grow. */
  constructor(keep = 10_000) {
    this.#keep = keep;
  }

  get all(): readonly T[] {
    return this.#records;
  }

  get count(): number {
    return this.#records.length;
  }

  get last(): T | undefined {
    return this.#records.at(-1);
  }

  filter(matches: (record: T) => boolean): T[] {
    return this.#records.filter(matches);
  }

  clear(): void {
    this.#records = [];
  }

  add(record: T): void {
    this.#records.push(record);
    // Trimmed in blocks: shifting a long array for every call would cost more than the call.
    if (this.#records.length > this.#keep * 1.25) this.#records = this.#records.slice(-this.#keep);
    this.touch(record);
  }

  /** Notifies waiters of a changed record (a call got its status, a delivery was retried). */
  touch(record: T): void {
    for (const waiter of [...this.#waiters]) {
      if (!waiter.matches(record)) continue;
      this.#waiters.delete(waiter);
      waiter.found(record);
    }
  }

  /**
   * The first record, past or future, that matches. Rejects after `timeoutMs` (default `patienceMs`) with the newest
   * records in its message.
   */
  waitFor(matches: (record: T) => boolean, options: { timeoutMs?: number } = {}): Promise<T> {
    const present = this.#records.find(matches);
    return present === undefined ? this.waitForNext(matches, options) : Promise.resolve(present);
  }

  /** Like `waitFor`, ignoring existing records. */
  waitForNext(
    matches: (record: T) => boolean = () => true,
    options: { timeoutMs?: number } = {},
  ): Promise<T> {
    const timeoutMs = options.timeoutMs ?? patienceMs;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiter: Waiter<T> = { matches, found: resolve };
    const deadline = setTimeout(() => {
      this.#waiters.delete(waiter);
      const newest = inspect(this.#records.slice(-3), { depth: 2, breakLength: 120, maxStringLength: 200 });
      reject(
        new Error(`nothing matched within ${timeoutMs} ms; ${this.count} recorded, the newest: ${newest}`),
      );
    }, timeoutMs);
    this.#waiters.add(waiter);
    return promise.finally(() => clearTimeout(deadline));
  }
}
