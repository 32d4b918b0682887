import type pg from 'pg';

/** Whether writes find space on the disk. */
export interface Room {
  /** The error of a write that failed for lack of it, until there is some. */
  fault?: unknown;
}

const sorted = 'select number from generate_series(1, 20000) as number order by md5(number::text)';

/**
 * Sorts more than fits into its memory, which needs room on the disk and leaves nothing there. Gives the connection
 * back.
 * @throws what a write has failed with, while there is no room: the failure of this may say less.
 */
export async function lookForRoom(client: pg.PoolClient, room: Room): Promise<void> {
  try {
    await client.query('begin');
    await client.query("set local work_mem = '64kB'");
    await client.query(`select count(*) from (${sorted} offset 1) as sorted`);
  } catch (error) {
    throw room.fault ?? error;
  } finally {
    await client.query('rollback').catch(() => undefined);
    client.release();
  }
  delete room.fault;
}
