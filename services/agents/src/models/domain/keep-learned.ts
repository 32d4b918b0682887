import { type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { Foundation } from '@botyard/shared/service/foundation';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { LearnedAdjustments } from '../clients/learned-adjustments.ts';
import { deleteExpired, listLearned, saveAdjustments, saveRefusal } from '../store/model-adjustments.ts';

/** As many as the memory holds. */
const maxRestored = 10_000;
const tidyEveryMs = 3600_000;

/**
 * Keeps what models refuse in memory and in Postgres, so that a restart doesn't forget it. It is read once, at the
 * start: another instance learns the same by one refusal of its own.
 */
export function createLearnedAdjustments({ database, log }: Pick<Foundation, 'database' | 'log'>): {
  learned: LearnedAdjustments;
  keeper: Worker;
} {
  const learned = new LearnedAdjustments({
    onLearned: (place, adjustments) =>
      withTenant(database, [place.tenantId], (tx) => saveAdjustments(tx, place, adjustments)).catch(
        (error: unknown) => {
          log.warn({ err: error, model: place.model }, 'what a model refuses could not be stored');
          return undefined;
        },
      ),
    onRefused: (place, reason) => {
      withTenant(database, [place.tenantId], (tx) => saveRefusal(tx, place, reason)).catch((error: unknown) =>
        log.warn({ err: error, model: place.model }, 'a refusal of a model could not be stored'),
      );
    },
  });
  const tidying = createPeriodic({
    name: 'what models refused',
    everyMs: tidyEveryMs,
    log,
    work: () => withPlatform(database, 'forget what models refused', deleteExpired),
  });
  const keeper: Worker = {
    start: () => {
      restore(database, learned).catch((error: unknown) =>
        log.warn({ err: error }, 'what models refuse could not be read, and is learned again'),
      );
      tidying.start();
    },
    stop: () => tidying.stop(),
  };
  return { learned, keeper };
}

async function restore(database: Database, learned: LearnedAdjustments): Promise<void> {
  const rows = await withPlatform(database, 'what models refuse', (tx) => listLearned(tx, maxRestored));
  for (const { adjustments, learnedAt, ...place } of rows)
    if (learnedAt) learned.restore(place, adjustments, learnedAt);
}
