import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { lockBlock } from '../store/chat-blocks.ts';
import { findCurrentChatId } from '../store/chat-moves.ts';
import {
  type Conversation,
  failQueuedPartsOf,
  insertReply,
  listWaitingReplies,
  lockNextReplySeq,
  type NewReply,
  queueParts,
  type ReplyRow,
  saveNextReplySeq,
  saveReplyState,
} from '../store/replies.ts';
import { markActive } from './chats/chat-state.ts';
import { announceIfDone, giveUpReply } from './chats/settle-reply.ts';
import { formatReply } from './messenger/format/format-reply.ts';
import { mayHaveMoved } from './messenger/read-chat-event.ts';

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

/** A chat that was blocked after the question gets no answer; one that asks again takes answers again. */
async function queueItsParts(deps: QueueDeps, tx: TenantTx, reply: ReplyRow): Promise<void> {
  const { tenantId, botId, integrationId, place, askedAt } = reply;
  const asked = { tenantId, botId, integrationId, platformChatId: place.platformChatId };
  const hasMoved = mayHaveMoved(place.platformChatId);
  const chat = hasMoved ? { ...asked, platformChatId: await findCurrentChatId(tx, asked) } : asked;
  // The chat is locked before its parts, as the sender does it.
  const block = await lockBlock(tx, chat);
  if (reply.stopsEarlier) await stopEarlier(deps, tx, reply);
  if (block && askedAt && askedAt <= block.blockedAt) return await giveUpReply(deps, tx, reply, block.reason);
  if (block) await markActive(deps, tx, chat);
  const parts = formatReply(reply.text).map(({ html, text: plain }) => ({
    tenantId,
    partId: uuidv7(),
    replyId: reply.replyId,
    botId,
    platformChatId: chat.platformChatId,
    threadId: place.threadId ?? null,
    html,
    plain,
  }));
  if (parts.length === 0) return await giveUpReply(deps, tx, reply, 'the reply has nothing to show');
  await queueParts(tx, chat, parts);
  await saveReplyState(tx, reply, 'queued');
}

async function stopEarlier(deps: QueueDeps, tx: TenantTx, reply: ReplyRow): Promise<void> {
  const stopped = await failQueuedPartsOf(tx, reply, 'the person asked to stop');
  for (const replyId of stopped) await announceIfDone(deps, tx, reply.tenantId, replyId);
}
