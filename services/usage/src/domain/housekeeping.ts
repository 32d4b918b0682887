import { type Database, withPlatform } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import type { Worker } from '@botyard/shared/service/foundation';
import { createPeriodic } from '@botyard/shared/work/periodic';
import { deleteOldReservations } from '../store/reservations.ts';

/** Removes reservations that matter no more. Nothing depends on when: one that expired counts for nobody. */
export function createHousekeeping({ database, log }: { database: Database; log: Log }): Worker {
  return createPeriodic({
    name: 'old reservations',
    everyMs: 60_000,
    log,
    work: async (isStopped) => {
      while (!isStopped() && (await withPlatform(database, 'old reservations', deleteOldReservations)));
    },
  });
}
