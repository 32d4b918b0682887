import type { TenantTx } from '@botyard/shared/db/database';
import { admitWithin } from '../../../../admission/store/admission.ts';
import type { Deps } from '../../../../deps.ts';
import { listAttachments } from '../../../../files/store/attachments.ts';
import { admitHeldMails, type HeldMails, listThreadsWithHeld } from '../../store/inbound.ts';
import { lockThreads } from '../../store/threads.ts';
import { deliveryOf } from './message-event.ts';

/**
 * Admits mails that were held until their sender was admitted, oldest first. Each is admitted once, even for concurrent
 * requests. Returns how many.
 */
export async function releaseHeld(
  deps: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  held: HeldMails & { integrationId: string },
): Promise<number> {
  const { tenantId, integrationId } = held;
  const threads = await lockThreads(tx, tenantId, await listThreadsWithHeld(tx, held));
  if (threads.size === 0) return 0;
  const mails = (await admitHeldMails(tx, held)).filter(({ threadId }) => threads.has(threadId));
  const files = Map.groupBy(
    await listAttachments(
      tx,
      tenantId,
      mails.map(({ mailId }) => mailId),
    ),
    ({ mailId }) => mailId,
  );
  const deliveries = mails.map(({ threadId, createdAt, ...mail }) =>
    deliveryOf(deps, threads.get(threadId)!, integrationId, {
      ...mail,
      sentAt: createdAt.toISOString(),
      files: files.get(mail.mailId) ?? [],
    }),
  );
  const admitted = await admitWithin(tx, deliveries);
  tx.afterCommit(() => deps.outbox.publish(admitted.map(({ event }) => event)));
  return admitted.length;
}
