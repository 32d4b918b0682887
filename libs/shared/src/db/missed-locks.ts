import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../http/errors.ts';
import { Semaphore } from '../work/semaphore.ts';

/** Another transaction holds a named lock. Nothing was done. */
export class LockMissedError extends Error {
  override readonly name = 'LockMissedError';
  readonly lock: string;

  constructor(lock: string, options?: ErrorOptions) {
    super(`another transaction holds the lock ${lock}`, options);
    this.lock = lock;
  }
}

/** The longest wait for other transactions, so that a person who saves needn't save again. */
const maxWaitMs = 4500;
const pauseMs = { least: 5, most: 25 };
const busy = 'too many changes are pending: try again';
const maxWaitingOfOne = 500;

/**
 * Repeats transactions that missed a named lock. They hold no connection while they wait: transactions of this process
 * take turns for each lock, and the one whose turn it is tries again until no other process holds the lock.
 */
export class MissedLocks {
  readonly #turns = new Semaphore(Number.POSITIVE_INFINITY, { maxOfOne: 1, maxWaitingOfOne, busy });

  /** @throws HttpError 503 when the lock stays taken; the transaction's own error. */
  async repeat<Result>(transaction: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + maxWaitMs;
    let awaitedLock: string | undefined;
    let endTurn = () => {};
    try {
      for (;;) {
        try {
          return await transaction();
        } catch (error) {
          if (!(error instanceof LockMissedError)) throw error;
          const leftMs = deadline - performance.now();
          if (awaitedLock !== undefined && leftMs < 0) throw unavailable(busy, { cause: error });
          if (error.lock === awaitedLock) {
            await pause(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
            continue;
          }
          // A transaction that misses another lock waits for its turn there, and holds none meanwhile.
          endTurn();
          endTurn = () => {};
          awaitedLock = error.lock;
          endTurn = await this.#turns.acquire(awaitedLock, Math.max(0, leftMs));
        }
      }
    } finally {
      endTurn();
    }
  }
}
