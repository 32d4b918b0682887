import type { Database } from '@botyard/shared/db/database';

/**
 * Runs `work` unless another instance does so now, which holds the same number. The lock is one of a transaction that
 * does nothing else: an instance that dies gives it back, and a pooler keeps a connection of the server for it. Returns
 * whether it ran.
 */
export async function asOnlyInstance(
  database: Database,
  lockNumber: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const client = await database.acquire();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const { rows } = await client.query(
      `select set_config('idle_in_transaction_session_timeout', '0', true), pg_try_advisory_xact_lock($1) as held`,
      [lockNumber],
    );
    const isHeld = rows[0]?.held === true;
    if (isHeld) await work();
    return isHeld;
  } finally {
    await client.query('rollback').catch((error: Error) => {
      failure = error;
    });
    client.release(failure);
  }
}
