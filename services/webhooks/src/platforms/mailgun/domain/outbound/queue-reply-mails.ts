import { uuidOf } from '@botyard/shared/auth/uuid';
import type { TenantTx } from '@botyard/shared/db/database';
import type { PendingReply, ShownReply } from '../../../platform.ts';
import { lockMailThreads, type MailThread } from '../../store/outgoing.ts';
import { type MailBody, plainMail } from './format/format-mail.ts';
import { answerSubject } from './header-text.ts';
import { queueMails, type WantedMail } from './queue-mail.ts';

interface Refused {
  reply: PendingReply;
  reason: string;
}

/** Queues replies as mails of their threads. Returns the reasons of those that can't be sent. */
export async function queueReplyMails(
  tx: TenantTx,
  replies: readonly ShownReply<MailBody>[],
): Promise<Refused[]> {
  const byTenant = Map.groupBy(replies, ({ reply }) => reply.tenantId);
  const refused: Refused[] = [];
  for (const tenantId of [...byTenant.keys()].sort())
    refused.push(...(await queueOfTenant(tx, tenantId, byTenant.get(tenantId) ?? [])));
  return refused;
}

async function queueOfTenant(
  tx: TenantTx,
  tenantId: string,
  replies: readonly ShownReply<MailBody>[],
): Promise<Refused[]> {
  const threadIds = replies.map(({ reply }) => threadIdOf(reply)).filter((threadId) => threadId !== '');
  const threads = await lockMailThreads(tx, tenantId, threadIds);
  const refused: Refused[] = [];
  const wanted: (WantedMail & { reply: PendingReply })[] = [];
  for (const { reply, payloads } of replies) {
    const mail = toMail(reply, threads.get(threadIdOf(reply)), bodyOf(reply, payloads));
    if ('reason' in mail) refused.push({ reply, reason: mail.reason });
    else wanted.push({ ...mail, reply });
  }
  if (wanted.length === 0) return refused;
  const overCap = await queueMails(tx, { tenantId, wanted });
  return [...refused, ...overCap.map(({ mail, reason }) => ({ reply: mail.reply, reason }))];
}

/** A mail with a file alone names it, because the mailer takes no mail without a text. */
const bodyOf = ({ text, file }: PendingReply, payloads: readonly MailBody[]): MailBody | undefined =>
  text === '' && file ? plainMail(file.name) : payloads[0];

/** A thread belongs to one bot and one conversation. A reply that names the thread of another one isn't sent. */
function toMail(
  reply: PendingReply,
  thread: MailThread | undefined,
  body: MailBody | undefined,
): WantedMail | { reason: string } {
  const { replyId, replySeq, askedAt, isByStaff, botId, conversationId } = reply;
  if (!thread || thread.botId !== botId || thread.conversationId !== conversationId)
    return { reason: 'the thread is gone' };
  if (!body) return { reason: 'the reply has no visible content' };
  const subject = answerSubject(thread.subject);
  const recipient = thread.correspondent;
  return { ...body, thread, askedAt, isByStaff, replyId, replySeq, subject, recipient };
}

/** The thread of a reply, from its chat; empty if it names none. */
export const threadIdOf = ({ place }: Pick<PendingReply, 'place'>): string =>
  uuidOf(place.platformChatId) ?? '';
