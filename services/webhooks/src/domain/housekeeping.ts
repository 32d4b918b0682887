import { withPlatform } from '@botyard/shared/db/database';
import type { Worker } from '@botyard/shared/service/foundation';
import type { Deps } from '../deps.ts';
import { pruneDeliveries, pruneSettled } from '../store/housekeeping.ts';

const everyMs = 600_000;

/** Removes what nothing needs any longer, in small bites. */
export function createHousekeeping({ database, log }: Pick<Deps, 'database' | 'log'>): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const prune = async () => {
    for (const bite of [pruneDeliveries, pruneSettled]) {
      while ((await withPlatform(database, 'housekeeping', bite)) > 0);
    }
  };
  const run = () => {
    running ??= prune()
      .catch((error: unknown) => log.warn({ err: error }, 'housekeeping failed'))
      .finally(() => {
        running = undefined;
      });
  };
  return {
    start: () => {
      timer = setInterval(run, everyMs).unref();
    },
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
