import { withPlatform } from '@botyard/shared/db/database';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { claimErasures, type ErasureRow, isErasureDue } from '../store/erasures.ts';
import { carryOut, type EraseDeps } from './carry-out.ts';
import { reapplyAll } from './ledger.ts';

/**
 * Carries out requests of any instance until every store has confirmed the erasure. Also detects data that a restore
 * brought back.
 */
export function createEraser(deps: EraseDeps & Pick<Deps, 'due' | 'stalls'>): Worker & { wake(): void } {
  const { bus, database, log } = deps;
  let isStopped = false;
  const loop: ClaimLoop<ErasureRow> = new ClaimLoop<ErasureRow>({
    name: 'erasures',
    maxConcurrent: 2,
    claim: async (limit) => {
      if (!bus.isConnected) return [];
      return await withPlatform(database, 'erasures', (tx) => claimErasures(tx, limit));
    },
    run: (row) => carryOut(deps, row, () => isStopped),
    mayHaveLeft: () => false,
    log,
    stalls: deps.stalls,
  });
  deps.due.add({ name: 'erasures', isDue: isErasureDue, wake: () => loop.wake() });
  const lookForLost = async (isOver: () => boolean) => {
    const begun = await reapplyAll(deps, isOver);
    if (begun === 0) return;
    log.warn({ erasures: begun }, 'repeating erasures that a restored database does not have');
    loop.wake();
  };
  const reapplying = createPeriodic({
    name: 'ledgers of erasures',
    everyMs: 3_600_000,
    log,
    work: lookForLost,
  });
  return {
    start: () => {
      loop.start();
      reapplying.start();
      // The store may be the bus's own, which isn't available before the first connection.
      bus.onConnect(() => {
        loop.wake();
        lookForLost(() => isStopped).catch((error: unknown) =>
          log.warn({ err: error }, 'could not read the ledgers of erasures: it will be retried'),
        );
      });
    },
    stop: async () => {
      isStopped = true;
      await Promise.all([loop.stop(), reapplying.stop()]);
    },
    wake: () => loop.wake(),
  };
}
