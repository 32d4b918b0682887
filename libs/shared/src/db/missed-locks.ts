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

type Outcome<Result> = { result: Result } | { missed: LockMissedError };

/**
 * Repeats transactions that missed a named lock. They hold no connection while they wait: transactions of this process
 * take turns for each lock, and the one whose turn it is tries again until no other process holds the lock.
 */
export class MissedLocks {
  readonly #turns = new Semaphore(Number.POSITIVE_INFINITY, { maxOfOne: 1, maxWaitingOfOne, busy });

  /** @throws HttpError 503 when the lock stays taken; the transaction's own error. */
  async repeat<Result>(transaction: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + maxWaitMs;
    let outcome = await attempt(transaction);
    // A transaction that then misses another lock waits for its turn there, and holds none meanwhile.
    while ('missed' in outcome) {
      const { lock } = outcome.missed;
      const release = await this.#turns.acquire(lock, Math.max(0, deadline - performance.now()));
      try {
        outcome = await tryUntil(deadline, lock, transaction);
      } finally {
        release();
      }
    }
    return outcome.result;
  }
}

/** Repeats the transaction until it succeeds or misses another lock. */
async function tryUntil<Result>(
  deadline: number,
  lock: string,
  transaction: () => Promise<Result>,
): Promise<Outcome<Result>> {
  for (;;) {
    const outcome = await attempt(transaction);
    if (!('missed' in outcome)) return outcome;
    if (performance.now() > deadline) throw unavailable(busy, { cause: outcome.missed });
    if (outcome.missed.lock !== lock) return outcome;
    await pause(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
  }
}

async function attempt<Result>(transaction: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await transaction() };
  } catch (error) {
    if (error instanceof LockMissedError) return { missed: error };
    throw error;
  }
}
