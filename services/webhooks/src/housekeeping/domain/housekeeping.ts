import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { expireOriginals, prunes } from '../store/housekeeping.ts';

/** Removes rows that are no longer needed, in small batches. */
export function createHousekeeping({
  database,
  log,
  mailRetentionDays: days,
}: Pick<Deps, 'database' | 'log' | 'mailRetentionDays'>): Worker {
  const all = days === null ? prunes : [...prunes, expireOriginals(days)];
  return createPeriodic({
    name: 'housekeeping',
    everyMs: 600_000,
    log,
    work: async (isStopped) => {
      for (const deleteBatch of all) {
        while (!isStopped() && (await withPlatform(database, 'housekeeping', deleteBatch)) > 0);
      }
    },
  });
}
