import type { TenantTx } from '@botyard/shared/db/database';
import { attachmentsByMail } from '../../../../files/store/attachments.ts';
import type { Deps } from '../../deps.ts';
import { admitHeldMails, type HeldMails, listThreadsWithHeld } from '../../store/inbound.ts';
import { lockThreads } from '../../store/threads.ts';
import { passOn } from './pass-on.ts';

/**
 * Admits mails that were held until their sender was admitted, oldest first. Each is admitted once, even for concurrent
 * requests. Returns how many.
 */
export async function releaseHeld(
  deps: Pick<Deps, 'outbox' | 'showWritten' | 'wakeMailReading'>,
  tx: TenantTx,
  held: HeldMails & { integrationId: string },
): Promise<number> {
  const { tenantId, integrationId } = held;
  const threads = await lockThreads(tx, tenantId, await listThreadsWithHeld(tx, held));
  if (threads.size === 0) return 0;
  const mails = (await admitHeldMails(tx, held)).filter(({ threadId }) => threads.has(threadId));
  const mailIds = mails.map(({ mailId }) => mailId);
  const files = await attachmentsByMail(tx, tenantId, mailIds);
  const spoken = mails.map(({ threadId, createdAt, ...mail }) => ({
    thread: threads.get(threadId)!,
    integrationId,
    mail: { ...mail, sentAt: createdAt.toISOString(), files: files.get(mail.mailId) ?? [] },
  }));
  await passOn(deps, tx, spoken);
  return spoken.length;
}
