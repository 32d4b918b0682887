import type { TenantTx } from '@botyard/shared/db/database';
import { replyDelivered } from '@botyard/shared/events/webhooks';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  type Conversation,
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

type QueueDeps = Pick<Deps, 'outbox'>;

/**
 * Queues a reply for sending once every reply before it in its conversation is queued: events may arrive out of
 * order, messages may not.
 */
export async function queueReply(deps: QueueDeps, tx: TenantTx, reply: NewReply): Promise<void> {
  const next = await lockNextReplySeq(tx, reply);
  await insertReply(tx, reply);
  await queueInTurn(deps, tx, reply, next);
}

/**
 * Goes on without replies that are missing: their events died, and a conversation is not blocked for longer than a
 * message's own tries (decisions 6: P0 2). One that comes later all the same is sent then.
 */
export async function passOverMissing(
  deps: QueueDeps,
  tx: TenantTx,
  conversation: Conversation,
): Promise<void> {
  const next = await lockNextReplySeq(tx, conversation);
  const [first] = await listWaitingReplies(tx, conversation);
  if (first) await queueInTurn(deps, tx, conversation, Math.max(next, first.replySeq));
}

async function queueInTurn(
  deps: QueueDeps,
  tx: TenantTx,
  conversation: Conversation,
  from: number,
): Promise<void> {
  let next = from;
  for (const waiting of await listWaitingReplies(tx, conversation)) {
    if (waiting.replySeq > next) break;
    await queueItsParts(deps, tx, waiting);
    next = Math.max(next, waiting.replySeq + 1);
  }
  await saveNextReplySeq(tx, conversation, next);
}

async function queueItsParts({ outbox }: QueueDeps, tx: TenantTx, reply: ReplyRow): Promise<void> {
  const { tenantId, replyId, botId, integrationId, conversationId, place } = reply;
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
  if (parts.length > 0) {
    await queueParts(tx, { tenantId, botId, platformChatId, integrationId }, parts);
    await saveReplyState(tx, reply, 'queued');
    return;
  }
  await saveReplyState(tx, reply, 'failed');
  await outbox.emit(tx, replyDelivered, {
    tenantId,
    botId,
    conversationId,
    replyId,
    state: 'failed',
    platformMessageIds: [],
    isUncertain: false,
    lastError: 'the reply has nothing to show',
  });
}
