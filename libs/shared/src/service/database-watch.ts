import type { Database } from '../db/database.ts';
import { databaseRemedy } from '../db/failures.ts';
import type { Log } from '../log/log.ts';
import { withoutSecrets } from '../log/without-secrets.ts';
import { createPeriodic } from '../work/periodic.ts';
import type { Worker } from './foundation.ts';
import type { StallMonitor } from './stalls.ts';

const lookEveryMs = 1000;

/** Asks the database each second, and shows why it can't be used: loops that wait for it keep silent. */
export function watchDatabase(parts: { database: Database; stalls: StallMonitor; log: Log }): Worker {
  const { database, stalls, log } = parts;
  const look = async () => {
    try {
      await database.ping();
      stalls.recovered('database');
    } catch (error) {
      const reason = `Postgres can't be used: ${withoutSecrets(reasonOf(error))}`;
      stalls.failed('database', { reason, remedy: databaseRemedy(error), error });
    }
  };
  return createPeriodic({ name: 'watch the database', everyMs: lookEveryMs, work: look, log });
}

/** Several addresses of one name fail together, each with a reason of its own. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError && error.errors.length > 0
    ? String(error.errors[0].message)
    : String((error as Error).message);
