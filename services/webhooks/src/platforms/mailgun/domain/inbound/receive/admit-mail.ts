import type { TenantTx } from '@botyard/shared/db/database';
import { listDeletedAmong } from '@botyard/shared/db/deleted-tenants';
import type { KeptFile } from '../../../../../files/domain/keep-files.ts';
import { hasRoomFor } from '../../../../../files/domain/storage.ts';
import { claimAttachments } from '../../../../../files/store/attachments.ts';
import { wasErased } from '../../../store/erasure.ts';
import {
  countMails,
  findMailByMessageId,
  insertInboundMail,
  isKnownSinceYesterday,
  listSentTexts,
  lockMessageId,
  type MailCounts,
} from '../../../store/inbound.ts';
import { insertThread, type ThreadRow, touchThread } from '../../../store/threads.ts';
import { useToken } from '../../../store/tokens.ts';
import { liftBounce } from '../../outbound/bounces.ts';
import { inviteSender } from '../../senders/invite.ts';
import { lockSender, mayWrite } from '../../senders/sender-permission.ts';
import { passOn, readHeld } from '../pass-on.ts';
import { beginsWithSent } from '../read/quoted-rest.ts';
import type { ReadMail } from '../read/read-mail.ts';
import type { SenderProof } from '../read/sender-proof.ts';
import {
  type AdmitDeps,
  type Arrived,
  type FromSomebody,
  isDisproved,
  type Received,
  rowOf,
  spokenOf,
} from './arrived.ts';
import { findKnownThread, newThread } from './find-or-begin-thread.ts';
import { keepAutomatic, keepOverCap, keepReport } from './keep-ignored.ts';
import { passOnReport } from './pass-on-report.ts';

/**
 * Limits that end a conversation with an undeclared machine: no person writes so many mails in an hour. Held mail of
 * unadmitted senders is limited, because anybody can write.
 */
const mostMails = {
  ofThread: 20,
  ofSender: 60,
  heldOfSender: 20,
  heldOfBot: 1000,
  heldBytesOfBot: 256 * 1024 * 1024,
} as const;

/** The reason why no more mail is accepted; `undefined` if it is. */
function whyOverCap(
  counts: MailCounts,
  { isAdmitted, bytes }: { isAdmitted: boolean; bytes: number },
): string | undefined {
  if (isAdmitted) {
    const isOver = counts.ofThread >= mostMails.ofThread || counts.ofSender >= mostMails.ofSender;
    return isOver ? 'over the hourly limit of mails' : undefined;
  }
  const isOver =
    counts.heldOfSender >= mostMails.heldOfSender ||
    counts.heldOfBot >= mostMails.heldOfBot ||
    counts.heldBytesOfBot + bytes > mostMails.heldBytesOfBot;
  return isOver ? 'too many mails are held already' : undefined;
}

/** Adds a mail to its thread, or returns the reason why not. All effects are in one transaction. */
export async function admitMail(deps: AdmitDeps, tx: TenantTx, arrived: Arrived): Promise<Received> {
  const { receiver, mail, digest, verdict } = arrived;
  const { tenantId, botId } = receiver.mailbox;
  const { messageId, withoutId } = mail;
  if ((await listDeletedAmong(tx, 'webhooks', [tenantId])).size > 0)
    return { verdict: 'ignored', reason: 'tenant deleted' };
  await lockMessageId(tx, { botId, messageId: withoutId?.identity ?? messageId });
  if (receiver.token !== null) {
    const use = await useToken(tx, { tenantId, botId, token: receiver.token, messageId, digest });
    if (use === 'other') return { verdict: 'replay' };
    if (use === 'same') return { verdict: 'duplicate', reason: 'token' };
  }
  const direction = await findMailByMessageId(tx, { tenantId, botId, messageId });
  if (direction === 'out') return { verdict: 'ignored', reason: 'own mail' };
  if (direction === 'in' || (await wasErased(tx, { tenantId, botId, messageId })))
    return { verdict: 'duplicate', reason: 'Message-Id' };
  if (withoutId && (await isKnownSinceYesterday(tx, { tenantId, botId, messageId: withoutId.yesterday })))
    return { verdict: 'duplicate', reason: 'content' };
  if (verdict.kind === 'bounce') {
    const { reason, threadId } = await passOnReport(deps, tx, arrived);
    return await keepReport(tx, arrived, { reason, threadId });
  }
  if (verdict.kind === 'ignored') return await keepAutomatic(deps, tx, arrived, verdict);
  const { from } = mail;
  if (!from) return { verdict: 'ignored', reason: 'no sender' };
  return await takeIn(deps, tx, { ...arrived, mail: { ...mail, from } });
}

async function takeIn(deps: AdmitDeps, tx: TenantTx, quoted: FromSomebody): Promise<Received> {
  const { mailId, receiver, files } = quoted;
  const { mailbox } = receiver;
  const { tenantId, botId, integrationId, senderPolicy } = mailbox;
  const { address: sender } = quoted.mail.from;
  // Locked before the thread, in the same order as when a grant is given.
  await lockSender(tx, { tenantId, botId, sender });
  const existingThread = await findKnownThread(tx, { tenantId, botId, correspondent: sender }, quoted.mail);
  const mail = existingThread ? await withoutSentWords(tx, existingThread, quoted.mail) : quoted.mail;
  const arrived = { ...quoted, mail };
  const thread = existingThread ?? newThread(mailbox, mail);
  const { threadId } = thread;
  const isGranted = await mayWrite(tx, { tenantId, botId, threadId, sender, senderPolicy });
  const isForged = isDisproved(mailbox, mail);
  const isAdmitted = isGranted && !isForged;
  const counts = await countMails(tx, { tenantId, botId, threadId, sender });
  const overCap = whyOverCap(counts, { isAdmitted, bytes: sizeOf(files) });
  if (overCap) return await keepOverCap(tx, existingThread, arrived, overCap);
  if (!existingThread) await insertThread(tx, thread);
  await touchThread(tx, thread, {
    integrationId,
    ...(isForged ? unchanged(thread) : changeBy(mail, thread)),
  });
  const { messageId } = mail;
  if (isAdmitted) await liftBounce(tx, tenantId, sender);
  else if (!isGranted)
    await inviteSender(deps, tx, mailbox, { threadId, sender, messageId, language: mail.language });
  const admittedAt = new Date();
  // From here to the commit the tenant's other mails wait, because one row counts the storage of all of them.
  await insertInboundMail(tx, {
    ...rowOf(arrived, thread),
    ...(await originalOf(deps, tx, arrived)),
    state: isAdmitted ? 'admitted' : 'held',
    isAutomatic: false,
    admittedAt: isAdmitted ? admittedAt : null,
    reason: !isAdmitted && isForged ? unprovenReason(mail.senderProof) : null,
  });
  await claimAttachments(tx, { tenantId, mailId }, files);
  const spoken = { thread, integrationId, mail: spokenOf(arrived, admittedAt) };
  if (isAdmitted) await passOn(deps, tx, [spoken]);
  else await readHeld(deps, tx, spoken);
  if (isAdmitted) return { verdict: 'accepted' };
  return { verdict: 'held', ...(isForged ? { reason: 'unproven sender' } : {}) };
}

/** A forged mail changes nothing that the thread displays or sends. */
const unchanged = ({ subject, correspondentName, threadIndex }: ThreadRow) => ({
  subject,
  correspondentName,
  threadIndex,
  messageIds: [],
});

const changeBy = (mail: FromSomebody['mail'], thread: ThreadRow) => ({
  subject: mail.subject || thread.subject,
  correspondentName: mail.from.name || thread.correspondentName,
  threadIndex: mail.threadIndex ?? thread.threadIndex,
  messageIds: [...mail.references, mail.messageId],
});

/** Leaves out a quotation that only the words of our own mails show. */
async function withoutSentWords<Mail extends ReadMail>(
  tx: TenantTx,
  thread: ThreadRow,
  mail: Mail,
): Promise<Mail> {
  if (mail.unquoted === null) return mail;
  const { text, rest } = mail.unquoted;
  return beginsWithSent(rest, await listSentTexts(tx, thread)) ? { ...mail, text } : mail;
}

/** Shown to admins. */
const unprovenReason = ({ results }: SenderProof): string =>
  `the mailer's results do not show that this mail is from the domain of its sender: ${results}`;

/** The original mail, unless the tenant has no storage left for it. Its text is always kept. */
async function originalOf(
  deps: AdmitDeps,
  tx: TenantTx,
  { receiver, mail: { originalText, html } }: Arrived,
): Promise<Pick<ReadMail, 'originalText' | 'html'>> {
  const bytes = Buffer.byteLength(originalText ?? '') + Buffer.byteLength(html ?? '');
  const { tenantId } = receiver.mailbox;
  const isKept = await hasRoomFor(deps, tx, { tenantId, bytes });
  return isKept ? { originalText, html } : { originalText: null, html: null };
}

const sizeOf = (files: readonly KeptFile[]): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
