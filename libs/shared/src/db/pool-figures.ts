import type { Database } from './database.ts';

/** The numbers of open and idle connections, of waiting callers, and the limit of connections. */
export function poolFigures(name: string, { pool }: Database) {
  const { totalCount: total, idleCount: idle, waitingCount: waiting } = pool;
  return { name, total, idle, waiting, most: pool.options.max };
}
