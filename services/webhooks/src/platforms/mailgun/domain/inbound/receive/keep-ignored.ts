import type { TenantTx } from '@botyard/shared/db/database';
import { hasRoomForIgnored, insertInboundMail } from '../../../store/inbound.ts';
import { insertThread, type ThreadRow } from '../../../store/threads.ts';
import { lockSender } from '../../senders/sender-permission.ts';
import { passOn } from '../pass-on.ts';
import { type AdmitDeps, type Arrived, isDisproved, type Received, rowOf, spokenOf } from './arrived.ts';
import { findKnownThread, newThread } from './find-or-begin-thread.ts';
import type { IgnoredMail, Verdict } from './verdict.ts';

/** Mail that nobody is shown: a loop of ours, and what has no sender. */
const shownNowhere: ReadonlySet<IgnoredMail> = new Set(['own mail', 'no sender']);

/**
 * Keeps mail that no person wrote, and shows it in the inbox with the reason, so that a person can act on what the bot
 * doesn't answer. A mail whose sender is disproved is shown in its thread only. Mails beyond a limit are only counted.
 */
export async function keepAutomatic(
  deps: Pick<AdmitDeps, 'outbox' | 'showWritten' | 'wakeMailReading'>,
  tx: TenantTx,
  arrived: Arrived,
  { reason, sign }: Extract<Verdict, { kind: 'ignored' }>,
): Promise<Received> {
  const { mail, receiver } = arrived;
  const { mailbox } = receiver;
  const { tenantId, botId } = mailbox;
  const { from } = mail;
  const ignored = { verdict: 'ignored', reason } as const;
  if (!from) return ignored;
  await lockSender(tx, { tenantId, botId, sender: from.address });
  const existingThread = await findKnownThread(tx, { tenantId, botId, correspondent: from.address }, mail);
  if (!existingThread && shownNowhere.has(reason)) return ignored;
  const thread = existingThread ?? { ...newThread(mailbox, { ...mail, from }), references: [mail.messageId] };
  if (!(await hasRoomForIgnored(tx, thread))) return ignored;
  if (!existingThread) await insertThread(tx, thread);
  const admittedAt = new Date();
  const automaticReason = sign === undefined ? reason : `${reason}: ${sign}`;
  const isShown = !shownNowhere.has(reason) && !isDisproved(mailbox, mail);
  await insertInboundMail(tx, {
    ...readableRowOf(arrived, thread),
    isAutomatic: true,
    admittedAt: isShown ? admittedAt : null,
    reason: automaticReason,
  });
  if (!isShown) return ignored;
  const spoken = { ...spokenOf({ ...arrived, mail: { ...mail, from } }, admittedAt), automaticReason };
  await passOn(deps, tx, [{ thread, integrationId: mailbox.integrationId, mail: spoken }]);
  return ignored;
}

/** Keeps a mail server's report in the thread of the mail that it is about. */
export async function keepReport(
  tx: TenantTx,
  arrived: Arrived,
  { reason, threadId }: { reason: string; threadId: string | undefined },
): Promise<Received> {
  const { tenantId, botId } = arrived.receiver.mailbox;
  if (threadId !== undefined && (await hasRoomForIgnored(tx, { tenantId, botId, threadId })))
    await insertInboundMail(tx, {
      ...readableRowOf(arrived, { threadId }),
      isAutomatic: true,
      admittedAt: null,
      reason,
    });
  return { verdict: 'ignored', reason };
}

/** Keeps a person's mail over a limit, if it continues a thread. */
export async function keepOverCap(
  tx: TenantTx,
  thread: ThreadRow | undefined,
  arrived: Arrived,
  reason: string,
): Promise<Received> {
  if (thread && (await hasRoomForIgnored(tx, thread)))
    await insertInboundMail(tx, {
      ...readableRowOf(arrived, thread),
      isAutomatic: false,
      admittedAt: null,
      reason,
    });
  return { verdict: 'ignored', reason };
}

/** Only the readable part, so that a flood can't fill the disk. */
const readableRowOf = (arrived: Arrived, thread: Pick<ThreadRow, 'threadId'>) => ({
  ...rowOf(arrived, thread),
  state: 'ignored' as const,
  originalText: null,
  html: null,
});
