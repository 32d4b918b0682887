import type { Database } from '@botyard/shared/db/database';

/**
 * Runs `work` unless another instance does so now, which holds the same number. The lock is one of the connection: an
 * instance that dies gives it back. Returns whether it ran.
 */
export async function asOnlyInstance(
  database: Database,
  lockNumber: number,
  work: () => Promise<void>,
): Promise<boolean> {
  const client = await database.pool.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
      lockNumber,
    ]);
    if (!rows[0]?.held) return false;
    try {
      await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lockNumber]);
    }
    return true;
  } finally {
    client.release();
  }
}
