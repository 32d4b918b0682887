import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Takeover } from '../../../../delivery/domain/sending/sending.ts';
import type { Deps } from '../../../../deps.ts';
import { findThreadOfMail, listThreadsToQueue, queueAsParts } from '../../store/mail-queue.ts';
import { lockMailThreads } from '../../store/outgoing.ts';

const everyMs = 2000;

/**
 * Queues mails that processes of the previous release have queued: they sent mails from a separate table. Mails that
 * are pending at an upgrade are queued at the start; those of processes that still run are queued as they appear.
 */
export function createMailTakeover(
  deps: Pick<Deps, 'database' | 'heartbeat' | 'log' | 'wakeSender'>,
): Takeover {
  const {
    database,
    heartbeat: { processId },
    log,
  } = deps;
  const worker = createPeriodic({
    name: 'mails of the release before',
    everyMs,
    log,
    work: async (isStopped) => {
      const threads = await withPlatform(database, 'mails of the release before', listThreadsToQueue);
      for (const { tenantId, threadId } of threads) {
        if (isStopped()) return;
        await withTenant(database, [tenantId], (tx) =>
          queueThread(tx, { tenantId, threadIds: [threadId], processId }),
        );
      }
      if (threads.length > 0) deps.wakeSender();
    },
  });
  return { ...worker, takeOver: takeOverMail };
}

/** Queues a mail that its process no longer holds for certain, with the pending mails of its thread. */
async function takeOverMail(tx: TenantTx, mail: { tenantId: string; mailId: string }): Promise<void> {
  const threadId = await findThreadOfMail(tx, mail);
  if (threadId !== undefined) await queueThread(tx, { ...mail, threadIds: [threadId] });
}

async function queueThread(tx: TenantTx, threads: Parameters<typeof queueAsParts>[1]): Promise<void> {
  await lockMailThreads(tx, threads.tenantId, threads.threadIds);
  await queueAsParts(tx, threads);
}
