import { type Database, withPlatform } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import type { Worker } from '@botyard/shared/service/foundation';
import { deleteOldReservations } from '../store/reservations.ts';

const everyMs = 60_000;

/** Removes reservations that matter no more. Nothing depends on when: one that expired counts for nobody. */
export function createHousekeeping({ database, log }: { database: Database; log: Log }): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  const tidy = async () => {
    while (!isStopped && (await withPlatform(database, 'old reservations', deleteOldReservations)));
  };
  const run = () => {
    running ??= tidy()
      .catch((error: unknown) => log.warn({ err: error }, 'old reservations could not be removed'))
      .finally(() => {
        running = undefined;
      });
  };
  return {
    start: () => {
      timer = setInterval(run, everyMs).unref();
    },
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
