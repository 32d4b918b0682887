import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { queueAsParts } from '../../store/mail-queue.ts';
import {
  countRecentMails,
  getAnsweredMessageId,
  insertOutgoingMails,
  lockMailThreads,
  type MailThread,
  type NewMail,
} from '../../store/outgoing.ts';
import { headerText } from './header-text.ts';
import { messageIdOfMail, messageIdOfReply } from './own-headers.ts';

/** The most mails in a thread, and to one address, within an hour: they end every loop (REQ-CHAT-7). */
const maxMailsPerHour = { ofThread: 20, ofRecipient: 60 } as const;

interface Counted {
  ofThread: Map<string, number>;
  ofRecipient: Map<string, number>;
}

/** Counts one more mail. If a limit is reached, returns the reason and counts nothing. */
function takePlace(counted: Counted, mail: { threadId: string; recipient: string }): string | undefined {
  const inThread = counted.ofThread.get(mail.threadId) ?? 0;
  const toRecipient = counted.ofRecipient.get(mail.recipient) ?? 0;
  if (inThread >= maxMailsPerHour.ofThread)
    return `over the cap of ${maxMailsPerHour.ofThread} mails in a thread and hour`;
  if (toRecipient >= maxMailsPerHour.ofRecipient)
    return `over the cap of ${maxMailsPerHour.ofRecipient} mails to an address and hour`;
  counted.ofThread.set(mail.threadId, inThread + 1);
  counted.ofRecipient.set(mail.recipient, toRecipient + 1);
  return undefined;
}

interface MailToQueue {
  tenantId: string;
  botId: string;
  threadId: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  /** The language in which it is written, if known. */
  language?: string;
  /** The Message-Id of the mail that it answers, if it answers one. */
  inReplyTo?: string;
}

/**
 * Queues an outgoing mail in its thread, after the pending ones. Over the limit it is stored as failed. Nothing is
 * queued for a thread that doesn't exist or belongs to another bot.
 */
export async function queueMail(
  { wakeSender }: Pick<Deps, 'wakeSender'>,
  tx: TenantTx,
  mail: MailToQueue,
): Promise<void> {
  const { tenantId, threadId, botId } = mail;
  const thread = (await lockMailThreads(tx, tenantId, [threadId])).get(threadId);
  if (thread?.botId !== botId) return;
  await queueMails(tx, { tenantId, wanted: [{ ...mail, thread }] });
  tx.afterCommit(() => wakeSender('email'));
}

export interface WantedMail
  extends Pick<MailToQueue, 'recipient' | 'subject' | 'text' | 'html' | 'language'> {
  /** The thread, which the caller has locked. */
  thread: MailThread;
  /** The Message-Id of the mail that it answers, if known; otherwise it is found by `askedAt`. */
  inReplyTo?: string;
  askedAt?: Date | null;
  /** Whether a user of the tenant wrote it. */
  isByStaff?: boolean;
  replyId?: string;
  replySeq?: number;
}

/** Queues mails of a tenant in this order. Returns the reasons of those that were given up. */
export async function queueMails<Mail extends WantedMail>(
  tx: TenantTx,
  { tenantId, wanted }: { tenantId: string; wanted: readonly Mail[] },
): Promise<{ mail: Mail; reason: string }[]> {
  const threadIds = [...new Set(wanted.map(({ thread }) => thread.threadId))];
  const recipients = [...new Set(wanted.map(({ recipient }) => recipient.toLowerCase()))];
  const [counted, answered] = await Promise.all([
    countRecentMails(tx, { tenantId, threadIds, recipients }),
    Promise.all(
      wanted.map(
        async ({ thread: { threadId }, inReplyTo, askedAt = null }) =>
          inReplyTo ?? (await getAnsweredMessageId(tx, { tenantId, threadId, askedAt })),
      ),
    ),
  ]);
  const refused: { mail: Mail; reason: string }[] = [];
  const added = wanted.map((mail, index): NewMail => {
    const { threadId } = mail.thread;
    const reason = takePlace(counted, { threadId, recipient: mail.recipient.toLowerCase() });
    if (reason) refused.push({ mail, reason });
    return toNewMail(tenantId, mail, { inReplyTo: answered[index] ?? null, reason });
  });
  await insertOutgoingMails(tx, added);
  await queueAsParts(tx, { tenantId, threadIds });
  return refused;
}

function toNewMail(
  tenantId: string,
  mail: WantedMail,
  { inReplyTo, reason }: { inReplyTo: string | null; reason: string | undefined },
): NewMail {
  const mailId = uuidv7();
  const { thread, replyId, replySeq } = mail;
  const sender = thread.address ?? '';
  return {
    tenantId,
    mailId,
    sender,
    inReplyTo,
    threadId: thread.threadId,
    botId: thread.botId,
    messageId: replyId ? messageIdOfReply(replyId, sender) : messageIdOfMail(mailId, sender),
    recipient: mail.recipient.toLowerCase(),
    subject: headerText(mail.subject),
    text: mail.text,
    html: mail.html,
    language: mail.language ?? null,
    state: reason ? 'failed' : 'queued',
    reason: reason ?? null,
    replyId: replyId ?? null,
    replySeq: replySeq ?? null,
    isByStaff: mail.isByStaff ?? false,
  };
}
