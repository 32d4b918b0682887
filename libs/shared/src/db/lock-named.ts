import type { AnyTx } from './database.ts';
import { isLockConflict } from './failures.ts';
import { LockMissedError } from './missed-locks.ts';

/**
 * Until this transaction ends, no other one of the service gets these names. For what no row stands for. If another
 * transaction holds one, this one ends at once and is run again from its beginning, so that none holds a connection
 * while it waits: its work must be safe to run again, and asks for the lock before it does anything outside the
 * transaction.
 */
export async function lockNamed(tx: AnyTx, ...names: string[]): Promise<void> {
  await lockOrMiss(tx, names.join(', '), {
    name: 'db.lock_named',
    // In one order, so that two transactions with the same names don't wait for each other.
    locks: `(select count(pg_advisory_xact_lock(key)) from
              (select distinct hashtextextended(name, 0) as key from unnest($1::text[]) as name order by key) as keys)`,
    values: [names],
  });
}

interface Locking {
  name: string;
  /** An expression that takes advisory locks. */
  locks: string;
  values: unknown[];
}

/**
 * Takes advisory locks, or fails the transaction after a millisecond: unlike a `try` function, also for transactions
 * whose statements and commit are sent together. Afterwards the transaction's own limit applies to rows again.
 * @throws LockMissedError.
 */
export async function lockOrMiss(tx: AnyTx, lock: string, { name, locks, values }: Locking): Promise<void> {
  try {
    await tx.query({
      name,
      text: `select set_config('lock_timeout', '1', true), ${locks}, set_config('lock_timeout', limits.of_rows, true)
             from (select current_setting('lock_timeout') as of_rows offset 0) as limits`,
      values,
    });
  } catch (error) {
    throw isLockConflict(error) ? new LockMissedError(lock, { cause: error }) : error;
  }
}
