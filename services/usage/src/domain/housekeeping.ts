import { type Database, withPlatform } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { deleteOldReservations } from '../store/reservations.ts';

/** Removes expired reservations. The time doesn't matter: they already count for nothing. */
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
