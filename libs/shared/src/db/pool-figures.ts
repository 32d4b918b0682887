import type { Database } from './database.ts';

/** How many connections are open, lie idle, are waited for, and may be at most. */
export function poolFigures(name: string, { pool }: Database) {
  const { totalCount: total, idleCount: idle, waitingCount: waiting } = pool;
  return { name, total, idle, waiting, most: pool.options.max };
}
