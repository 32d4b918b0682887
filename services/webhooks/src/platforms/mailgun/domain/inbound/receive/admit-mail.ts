import type { TenantTx } from '@botyard/shared/db/database';
import { listDeletedAmong } from '@botyard/shared/db/deleted-tenants';
import { admitWithin } from '../../../../../admission/store/admission.ts';
import type { Deps } from '../../../../../deps.ts';
import type { KeptFile } from '../../../../../files/domain/keep-files.ts';
import { hasRoomFor } from '../../../../../files/domain/storage.ts';
import { claimAttachments } from '../../../../../files/store/attachments.ts';
import { wasErased } from '../../../store/erasure.ts';
import {
  countMails,
  findMailByMessageId,
  insertIgnoredMail,
  insertInboundMail,
  lockMessageId,
  type MailCounts,
} from '../../../store/inbound.ts';
import { insertThread, type ThreadRow, touchThread } from '../../../store/threads.ts';
import { useToken } from '../../../store/tokens.ts';
import { liftBounce } from '../../outbound/bounces.ts';
import { inviteSender } from '../../senders/invite.ts';
import { lockSender, mayWrite } from '../../senders/sender-permission.ts';
import { deliveryOf } from '../message-event.ts';
import type { ReadMail } from '../read/read-mail.ts';
import type { SenderProof } from '../read/sender-proof.ts';
import { findKnownThread, newThread } from './find-or-begin-thread.ts';
import type { Receiver } from './find-receiver.ts';
import { passOnReport } from './pass-on-report.ts';
import type { Verdict } from './verdict.ts';

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

/** The verdict on a delivery. All except a replay are answered with 200, so that the mailer doesn't repeat them. */
export type Received = {
  verdict: 'accepted' | 'held' | 'duplicate' | 'ignored' | 'replay';
  reason?: string;
};

export interface Arrived {
  receiver: Receiver;
  mailId: string;
  mail: ReadMail;
  digest: string;
  verdict: Verdict;
  files: readonly KeptFile[];
}

export type AdmitDeps = Pick<Deps, 'outbox' | 'log' | 'publicBaseUrl' | 'wakeSender' | 'mailStorageBytes'>;

/** Adds a mail to its thread, or returns the reason why not. All effects are in one transaction. */
export async function admitMail(deps: AdmitDeps, tx: TenantTx, arrived: Arrived): Promise<Received> {
  const { receiver, mail, digest, verdict } = arrived;
  const { tenantId, botId } = receiver.mailbox;
  const { messageId } = mail;
  if ((await listDeletedAmong(tx, 'webhooks', [tenantId])).size > 0)
    return { verdict: 'ignored', reason: 'tenant deleted' };
  await lockMessageId(tx, { botId, messageId });
  if (receiver.token !== null) {
    const use = await useToken(tx, { tenantId, botId, token: receiver.token, messageId, digest });
    if (use === 'other') return { verdict: 'replay' };
    if (use === 'same') return { verdict: 'duplicate', reason: 'token' };
  }
  const direction = await findMailByMessageId(tx, { tenantId, botId, messageId });
  if (direction === 'out') return { verdict: 'ignored', reason: 'own mail' };
  if (direction === 'in' || (await wasErased(tx, { tenantId, botId, messageId })))
    return { verdict: 'duplicate', reason: 'Message-Id' };
  if (verdict.kind === 'bounce') return { verdict: 'ignored', reason: await passOnReport(deps, tx, arrived) };
  const { from } = mail;
  if (verdict.kind === 'ignored' || !from) {
    const reason = verdict.kind === 'ignored' ? verdict.reason : 'no sender';
    const correspondent = from?.address ?? '';
    const thread = await findKnownThread(tx, { tenantId, botId, correspondent }, mail);
    return await ignoreIn(tx, thread, arrived, reason);
  }
  return await takeIn(deps, tx, { ...arrived, mail: { ...mail, from } });
}

type FromSomebody = Arrived & { mail: ReadMail & { from: NonNullable<ReadMail['from']> } };

async function takeIn(deps: AdmitDeps, tx: TenantTx, arrived: FromSomebody): Promise<Received> {
  const { mail, files, mailId, receiver } = arrived;
  const { mailbox } = receiver;
  const { tenantId, botId, integrationId, senderPolicy } = mailbox;
  const { address: sender, name: senderName } = mail.from;
  // Locked before the thread, in the same order as when a grant is given.
  await lockSender(tx, { tenantId, botId, sender });
  const known = await findKnownThread(tx, { tenantId, botId, correspondent: sender }, mail);
  const thread = known ?? newThread(mailbox, mail);
  const { threadId } = thread;
  const isGranted = await mayWrite(tx, { tenantId, botId, threadId, sender, senderPolicy });
  const isForged = mail.senderProof.state === 'failed' && senderPolicy !== 'open';
  const isAdmitted = isGranted && !isForged;
  const counts = await countMails(tx, { tenantId, botId, threadId, sender });
  const overCap = whyOverCap(counts, { isAdmitted, bytes: sizeOf(files) });
  if (overCap) return await ignoreIn(tx, known, arrived, overCap);
  if (!known) await insertThread(tx, thread);
  const { subject, messageId, references } = mail;
  // A forged mail changes nothing that the thread displays or sends.
  const change = {
    subject: (!isForged && subject) || thread.subject,
    correspondentName: (!isForged && senderName) || thread.correspondentName,
  };
  const messageIds = isForged ? [] : [...references, messageId];
  await touchThread(tx, thread, { ...change, integrationId, messageIds });
  if (isAdmitted) await liftBounce(tx, tenantId, sender);
  else if (!isGranted)
    await inviteSender(deps, tx, mailbox, { threadId, sender, messageId, language: mail.language });
  const admittedAt = new Date();
  // From here to the commit the tenant's other mails wait, because one row counts the storage of all of them.
  await insertInboundMail(tx, {
    ...rowOf(arrived, thread),
    ...(await originalOf(deps, tx, arrived)),
    state: isAdmitted ? 'admitted' : 'held',
    admittedAt: isAdmitted ? admittedAt : null,
    reason: !isAdmitted && isForged ? unprovenReason(mail.senderProof) : null,
  });
  await claimAttachments(tx, { tenantId, mailId }, files);
  if (!isAdmitted) return { verdict: 'held', ...(isForged ? { reason: 'unproven sender' } : {}) };
  const spoken = {
    mailId,
    messageId,
    sender,
    senderName,
    senderProof: mail.senderProof.state,
    language: mail.language,
    subject,
    files,
    text: mail.text,
    sentAt: mail.sentAt,
    admittedAt,
  };
  const admitted = await admitWithin(tx, [deliveryOf(deps, thread, integrationId, spoken)]);
  tx.afterCommit(() => deps.outbox.publish(admitted.map(({ event }) => event)));
  return { verdict: 'accepted' };
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

/**
 * Shows ignored mail in its thread, with its readable parts only, so that a flood can't fill the disk. Mails beyond a
 * limit are only counted.
 */
async function ignoreIn(
  tx: TenantTx,
  thread: ThreadRow | undefined,
  arrived: Arrived,
  reason: string,
): Promise<Received> {
  if (thread) {
    const row = { ...rowOf(arrived, thread), originalText: null, html: null };
    await insertIgnoredMail(tx, { ...row, state: 'ignored', admittedAt: null, reason });
  }
  return { verdict: 'ignored', reason };
}

function rowOf({ mail, mailId, receiver }: Arrived, { threadId }: Pick<ThreadRow, 'threadId'>) {
  const { tenantId, botId } = receiver.mailbox;
  const { messageId, inReplyTo, recipient, subject, text, originalText, html, from } = mail;
  return {
    ...{
      tenantId,
      mailId,
      threadId,
      botId,
      messageId,
      inReplyTo,
      recipient,
      subject,
      text,
      originalText,
      html,
    },
    sender: from?.address ?? '',
    senderName: from?.name ?? '',
    senderProof: mail.senderProof.state,
    language: mail.language,
  };
}
