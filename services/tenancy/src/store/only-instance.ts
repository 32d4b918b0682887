import type { Database } from '@botyard/shared/db/database';

/**
 * Runs `work` unless another instance is currently running it under the same lock number. The lock belongs to a
 * transaction that does nothing else. An instance that dies therefore releases it, and a pooler reserves a connection
 * to the server for it. Returns whether `work` ran.
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
