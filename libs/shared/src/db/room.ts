import type { Database } from './database.ts';

const sorted = 'select number from generate_series(1, 20000) as number order by md5(number::text)';

/**
 * Sorts more than fits into its memory, which needs room on the disk and leaves nothing there.
 * @throws what a write has failed with, while there is no room: the failure of this may say less.
 */
export async function lookForRoom({ acquire, room }: Pick<Database, 'acquire' | 'room'>): Promise<void> {
  const client = await acquire();
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
