import type { TenantTx } from '@botyard/shared/db/database';
import { giveUpReply } from '../../../../delivery/domain/chats/settle-reply.ts';
import type { FormattedReplies } from '../../../../delivery/domain/formatted-replies.ts';
import { type NewReply, saveReplyStates } from '../../../../delivery/store/replies.ts';
import type { Deps } from '../../../../deps.ts';
import { lockMailThreads, type MailThread } from '../../store/outgoing.ts';
import type { MailBody } from './format/format-mail.ts';
import { answerSubject } from './header-text.ts';
import { queueMails, type WantedMail } from './queue-mail.ts';

type QueueDeps = Pick<Deps, 'outbox' | 'wakeMailSender'>;

interface ReplyMails {
  replies: readonly NewReply[];
  formatted: FormattedReplies;
}

/** Queues replies, whose turn it is, as mails of their threads; of those that can't be, announces why. */
export async function queueReplyMails(
  deps: QueueDeps,
  tx: TenantTx,
  { replies, formatted }: ReplyMails,
): Promise<void> {
  const tenantIds = [...new Set(replies.map(({ tenantId }) => tenantId))].sort();
  for (const tenantId of tenantIds)
    await queueOfTenant(deps, tx, {
      replies: replies.filter((reply) => reply.tenantId === tenantId),
      formatted,
    });
}

async function queueOfTenant(
  deps: QueueDeps,
  tx: TenantTx,
  { replies, formatted }: ReplyMails,
): Promise<void> {
  const [{ tenantId } = { tenantId: '' }] = replies;
  const threads = await lockMailThreads(
    tx,
    tenantId,
    replies.map(threadIdOf).filter((threadId) => threadId !== ''),
  );
  const byReplyId = new Map(replies.map((reply) => [reply.replyId, reply]));
  const wanted: WantedMail[] = [];
  for (const reply of replies) {
    const mail = toMail(reply, threads.get(threadIdOf(reply)), await formatted.mail(reply));
    if ('reason' in mail) await giveUpReply(deps, tx, reply, mail.reason);
    else wanted.push(mail);
  }
  if (wanted.length === 0) return;
  const refused = await queueMails(deps, tx, { tenantId, wanted });
  for (const { mail, reason } of refused) {
    const reply = byReplyId.get(mail.replyId ?? '');
    if (reply) await giveUpReply(deps, tx, reply, reason);
  }
  const given = new Set(refused.map(({ mail }) => mail.replyId));
  const queued = wanted.filter(({ replyId }) => !given.has(replyId)).map(({ replyId = '' }) => replyId);
  await saveReplyStates(
    tx,
    queued.map((replyId) => ({ tenantId, replyId, state: 'queued' })),
  );
}

/** A thread is one bot's and one conversation's: what names another one's goes nowhere. */
function toMail(
  reply: NewReply,
  thread: MailThread | undefined,
  body: MailBody | undefined,
): WantedMail | { reason: string } {
  const { replyId, replySeq, askedAt, botId, conversationId } = reply;
  if (!thread || thread.botId !== botId || thread.conversationId !== conversationId)
    return { reason: 'the thread is gone' };
  if (!body) return { reason: 'the reply has nothing to show' };
  const subject = answerSubject(thread.subject);
  return { ...body, thread, askedAt, replyId, replySeq, subject, recipient: thread.correspondent };
}

/** Of an e-mail, the chat is the thread; empty when it names none. */
export function threadIdOf({ place }: Pick<NewReply, 'place'>): string {
  const threadId = place.platformChatId.toLowerCase();
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(threadId) ? threadId : '';
}
