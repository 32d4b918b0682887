import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

export interface Watched {
  seconds: number;
  /** The longest duration of one of the concurrent writes. */
  longestWriteMs: number;
  writes: number;
  /** The duration of the longest observed transaction of a service. */
  longestTransactionMs: number;
  /** The most backends that waited for a lock at the same time. */
  maxWaiting: number;
}

const lookEveryMs = 20;

/** Runs the work while one connection writes continuously and another one observes locks and transactions. */
export async function watchedWhile(
  {
    writer,
    watcher,
    write,
  }: { writer: pg.Client; watcher: pg.Client; write(client: pg.Client): Promise<void> },
  work: () => Promise<void>,
): Promise<Watched> {
  const seen = { longestWriteMs: 0, writes: 0, longestTransactionMs: 0, maxWaiting: 0 };
  let isOver = false;
  const writing = async () => {
    while (!isOver) {
      const begin = performance.now();
      await write(writer);
      seen.longestWriteMs = Math.max(seen.longestWriteMs, performance.now() - begin);
      seen.writes += 1;
      await pause(5);
    }
  };
  const watching = async () => {
    while (!isOver) {
      const { rows } = await watcher.query<{ oldest: number; waiting: number }>(look);
      seen.longestTransactionMs = Math.max(seen.longestTransactionMs, rows[0]?.oldest ?? 0);
      seen.maxWaiting = Math.max(seen.maxWaiting, rows[0]?.waiting ?? 0);
      await pause(lookEveryMs);
    }
  };
  const begin = performance.now();
  const beside = Promise.all([writing(), watching()]);
  // The error is reported below, after the work.
  beside.catch(() => undefined);
  try {
    await work();
  } finally {
    isOver = true;
  }
  const seconds = (performance.now() - begin) / 1000;
  await beside;
  return { seconds, ...seen };
}

const look = {
  name: 'bench.look',
  text: `select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 * 1000 as oldest,
           count(*) filter (where wait_event_type = 'Lock')::int as waiting
         from pg_stat_activity where usename like 'botyard\\_%' and usename <> 'botyard_owner' and backend_type = 'client backend'`,
};
