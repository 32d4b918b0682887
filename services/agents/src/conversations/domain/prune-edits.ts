import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../../deps.ts';
import { pruneEarlyEdits } from '../store/edits.ts';

/** Forgets edits of messages that never came. */
export function createEditPruning({ database, log }: Pick<Deps, 'database' | 'log'>): Worker {
  return createPeriodic({
    name: 'edits without messages',
    everyMs: 600_000,
    log,
    work: async (isStopped) => {
      while (!isStopped() && (await withPlatform(database, 'prune edits', pruneEarlyEdits)) > 0);
    },
  });
}
