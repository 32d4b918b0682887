import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { tidyExecutions } from '../store/executions.ts';

/** How long the history of calls is kept. */
const keptDays = 365;

/** Deletes old data of external tool calls, and closes abandoned ones. */
export function createToolHousekeeping({ database, log }: Pick<Deps, 'database' | 'log'>): Worker {
  return createPeriodic({
    name: 'calls of external tools',
    everyMs: 600_000,
    log,
    work: async (isStopped) => {
      const tidy = () => withPlatform(database, 'tidy calls of tools', (tx) => tidyExecutions(tx, keptDays));
      while (!isStopped() && (await tidy()) > 0);
    },
  });
}
