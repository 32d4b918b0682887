import type { Database } from '../db/database.ts';
import { databaseRemedy, reasonOfFailure } from '../db/failures.ts';
import type { Log } from '../log/log.ts';
import { createPeriodic } from '../work/periodic.ts';
import type { Worker } from '../work/worker.ts';
import type { StallMonitor } from './stalls.ts';

const lookEveryMs = 2000;

/** Checks the database every 2 s and reports why it can't be used; loops that wait for it report nothing. */
export function watchDatabase(parts: { database: Database; stalls: StallMonitor; log: Log }): Worker {
  const { database, stalls, log } = parts;
  const look = async () => {
    try {
      await database.ping();
      stalls.recovered('database');
    } catch (error) {
      stalls.failed('database', { reason: reasonOfFailure(error), remedy: databaseRemedy(error), error });
    }
  };
  return createPeriodic({ name: 'watch the database', everyMs: lookEveryMs, work: look, log });
}
