import type { Foundation } from '@botyard/shared/service/foundation';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { erasureQueue } from '../store/erasures.ts';
import { carryOut, type EraseDeps } from './carry-out.ts';
import { reapplyAll } from './ledger.ts';

/**
 * Carries out requests of any instance until every store has confirmed the erasure. Also detects data that a restore
 * brought back.
 */
export function createEraser(deps: EraseDeps & Foundation): Worker & { wake(): void } {
  const { bus, log } = deps;
  let isStopped = false;
  const queue = new LeasedQueue(deps, {
    name: 'erasures',
    table: erasureQueue,
    slots: 1,
    share: 1,
    run: (row, { signal }) => carryOut(deps, row, signal),
  });
  const lookForLost = async (isOver: () => boolean) => {
    const begun = await reapplyAll(deps, isOver);
    if (begun === 0) return;
    log.warn({ erasures: begun }, 'repeating erasures that a restored database does not have');
    queue.wake();
  };
  const reapplying = createPeriodic({
    name: 'ledgers of erasures',
    everyMs: 3_600_000,
    log,
    work: lookForLost,
  });
  return {
    start: () => {
      queue.start();
      reapplying.start();
      // The store may be the bus's own, which isn't available before the first connection.
      bus.onConnect(() => {
        queue.wake();
        lookForLost(() => isStopped).catch((error: unknown) =>
          log.warn({ err: error }, 'could not read the ledgers of erasures: it will be retried'),
        );
      });
    },
    stop: async () => {
      isStopped = true;
      await Promise.all([queue.stop(), reapplying.stop()]);
    },
    wake: () => queue.wake(),
  };
}
