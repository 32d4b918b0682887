import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import {
  insertReply,
  listWaitingReplies,
  lockNextReplySeq,
  type NewReply,
  queueParts,
  type ReplyRow,
  saveNextReplySeq,
  saveReplyState,
} from '../store/replies.ts';
import { formatReply } from './messenger/format/format-reply.ts';

/**
 * Queues a reply for sending once every reply before it in its conversation is queued: events may arrive out of
 * order, messages may not.
 */
export async function queueReply(tx: TenantTx, reply: NewReply): Promise<void> {
  const { tenantId, conversationId } = reply;
  let next = await lockNextReplySeq(tx, tenantId, conversationId);
  await insertReply(tx, reply);
  for (const waiting of await listWaitingReplies(tx, tenantId, conversationId)) {
    if (waiting.replySeq > next) break;
    await queueItsParts(tx, waiting);
    next = waiting.replySeq + 1;
  }
  await saveNextReplySeq(tx, { tenantId, conversationId }, next);
}

async function queueItsParts(tx: TenantTx, reply: ReplyRow): Promise<void> {
  const { tenantId, replyId, botId, integrationId, place } = reply;
  const { platformChatId, threadId = null } = place;
  const parts = formatReply(reply.text).map(({ html, text: plain }) => ({
    tenantId,
    partId: uuidv7(),
    replyId,
    botId,
    platformChatId,
    threadId,
    html,
    plain,
  }));
  if (parts.length > 0) await queueParts(tx, { tenantId, botId, platformChatId, integrationId }, parts);
  await saveReplyState(tx, reply, parts.length > 0 ? 'queued' : 'sent');
}
