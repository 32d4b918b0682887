import type pg from 'pg';

/** Whether the disk has room for writes. */
export interface Room {
  /** The error of a write that failed because the disk was full, until there is room again. */
  fault?: unknown;
}

const sorted = 'select number from generate_series(1, 20000) as number order by md5(number::text)';

/**
 * Sorts more than fits into memory, which needs room on the disk and leaves nothing there. Releases the connection.
 * @throws the error of the failed write while the disk is full, because the error of this check may be less specific.
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
