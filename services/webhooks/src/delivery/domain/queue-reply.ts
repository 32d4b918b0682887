import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { Payload } from '../../store/schema.ts';
import {
  type Conversation,
  failQueuedPartsOf,
  insertReplies,
  listWaitingReplies,
  lockNextReplySeqs,
  type NewPart,
  type NewReply,
  queueParts,
  saveNextReplySeqs,
  saveReplyStates,
} from '../store/replies.ts';
import { lockChatsOf, type ReplyChat } from '../store/reply-chats.ts';
import { beginAtOnce, type ReplyToSend } from './begin-at-once.ts';
import { blankErased, listRecipients } from './blank-replies.ts';
import { markActive } from './chats/chat-state.ts';
import { announceDone, giveUpReply } from './chats/settle-reply.ts';
import { ReplyPayloads } from './reply-payloads.ts';

type QueueDeps = Pick<Deps, 'outbox' | 'texts' | 'platforms'>;

/**
 * Queues replies for sending. Each is queued after every earlier reply in its conversation: events may arrive out of
 * order, but messages must not. Replies that can be sent immediately are begun in the same statement; the others cost
 * two round trips in total.
 */
export async function queueReplies(
  deps: QueueDeps & Pick<Deps, 'immediateSends' | 'heartbeat' | 'wakeSender'>,
  tx: TenantTx,
  replies: readonly NewReply[],
): Promise<void> {
  const payloads = new ReplyPayloads(deps);
  const toBegin = await alone(deps, tx, { replies, payloads });
  // All chats are locked before a bot's pace, as the sender does it, because another order could deadlock.
  const [next, chats, begun] = await Promise.all([
    lockNextReplySeqs(tx, replies),
    lockChatsOf(tx, replies.filter(isUnrecorded(deps))),
    beginAtOnce(deps, tx, toBegin),
  ]);
  const left = replies.filter(({ replyId }) => !begun.has(replyId));
  if (left.length === 0) return;
  const kept = await blankErased(deps, tx, left);
  const [, waiting] = await Promise.all([insertReplies(tx, kept), listWaitingReplies(tx, kept)]);
  await queueInTurn(deps, tx, { waiting, next, chats, payloads });
  tx.afterCommit(deps.wakeSender);
}

/** Replies with content that are the only ones for their chats and conversations in this batch. */
async function alone(
  { platforms }: QueueDeps,
  tx: TenantTx,
  { replies, payloads }: { replies: readonly NewReply[]; payloads: ReplyPayloads },
): Promise<ReplyToSend[]> {
  await payloads.prepare(replies);
  const ofChat = Map.groupBy(replies, chatOf);
  const ofConversation = Map.groupBy(replies, ({ conversationId }) => conversationId);
  const apart = replies.filter(
    (reply) =>
      platforms[reply.platform].paces !== undefined &&
      !reply.stopsEarlier &&
      ofChat.get(chatOf(reply))?.length === 1 &&
      ofConversation.get(reply.conversationId)?.length === 1,
  );
  const recipients = await listRecipients({ platforms }, tx, apart);
  const inParts = apart.map(async (reply) => {
    const personId = recipients.get(reply.replyId);
    const parts = partsOf(reply, reply.place, await payloads.of(reply));
    return personId !== undefined && parts.length > 0 ? [{ reply, personId, parts }] : [];
  });
  return (await Promise.all(inParts)).flat();
}

const chatOf = ({ botId, place }: NewReply): string => `${botId}/${place.platformChatId}`;

/**
 * Continues without missing replies: their events became dead letters, and a conversation is not blocked for longer
 * than a message is retried (REQ-CHAT-2). A missing reply that arrives later is still sent.
 */
export async function passOverMissing(
  deps: QueueDeps,
  tx: TenantTx,
  conversation: Conversation,
): Promise<void> {
  const [next, waiting] = await Promise.all([
    lockNextReplySeqs(tx, [conversation]),
    listWaitingReplies(tx, [conversation]),
  ]);
  const [first] = waiting;
  if (!first) return;
  const { conversationId } = conversation;
  next.set(conversationId, Math.max(next.get(conversationId) ?? 1, first.replySeq));
  const chats = await lockChatsOf(tx, waiting.filter(isUnrecorded(deps)));
  await queueInTurn(deps, tx, { waiting, next, chats, payloads: new ReplyPayloads(deps) });
}

/** Platforms that keep records of sent replies lock the records instead. */
const isUnrecorded =
  ({ platforms }: QueueDeps) =>
  ({ platform }: NewReply): boolean =>
    platforms[platform].records === undefined;

interface Queue {
  /** In the order of each conversation. */
  waiting: readonly NewReply[];
  /** The position of the reply that may be sent next, by conversation. */
  next: ReadonlyMap<string, number>;
  /** The destination of the replies of each conversation. */
  chats: ReadonlyMap<string, ReplyChat>;
  payloads: ReplyPayloads;
}

async function queueInTurn(deps: QueueDeps, tx: TenantTx, queue: Queue): Promise<void> {
  const { waiting, next, payloads } = queue;
  const positions = new Map<string, Conversation & { nextReplySeq: number }>();
  const inTurn: NewReply[] = [];
  for (const reply of waiting) {
    const { tenantId, conversationId, replySeq } = reply;
    const from = positions.get(conversationId)?.nextReplySeq ?? next.get(conversationId) ?? 1;
    if (replySeq > from) continue;
    inTurn.push(reply);
    positions.set(conversationId, { tenantId, conversationId, nextReplySeq: Math.max(from, replySeq + 1) });
  }
  if (inTurn.length === 0) return;
  await payloads.prepare(inTurn);
  const forChats = await Promise.all(inTurn.filter(isUnrecorded(deps)).map((reply) => inParts(reply, queue)));
  if (forChats.length === inTurn.length && forChats.every(isPlain)) tx.endsHere();
  await Promise.all([
    queueTheirParts(deps, tx, forChats),
    queueRecorded(deps, tx, { replies: inTurn, payloads }),
    saveNextReplySeqs(tx, [...positions.values()]),
  ]);
}

interface ReplyInParts {
  reply: NewReply;
  chat: ReplyChat;
  parts: NewPart[];
}

async function inParts(reply: NewReply, { chats, payloads }: Queue): Promise<ReplyInParts> {
  const chat = chats.get(reply.conversationId)!;
  return { reply, chat, parts: partsOf(reply, chat, await payloads.of(reply)) };
}

/** Whether the reply can be queued without checks, and without giving up others. */
const isPlain = ({ reply, chat, parts }: ReplyInParts): boolean =>
  !reply.stopsEarlier && chat.block === undefined && parts.length > 0;

async function queueTheirParts(
  deps: QueueDeps,
  tx: TenantTx,
  replies: readonly ReplyInParts[],
): Promise<void> {
  let ready: ReplyInParts[] = [];
  for (const inTurn of replies) {
    const { reply, chat, parts } = inTurn;
    if (reply.stopsEarlier) {
      await queueReady(tx, ready);
      ready = [];
      await stopEarlier(deps, tx, reply);
    }
    const why = whyNotShown(parts) ?? (await whyNotTaken(deps, tx, reply, chat));
    if (why) await giveUpReply(deps, tx, reply, why);
    else ready.push(inTurn);
  }
  await queueReady(tx, ready);
}

/** Queues replies for platforms that keep records of sent replies. */
async function queueRecorded(
  deps: QueueDeps,
  tx: TenantTx,
  { replies, payloads }: { replies: readonly NewReply[]; payloads: ReplyPayloads },
): Promise<void> {
  for (const { name, records } of Object.values(deps.platforms)) {
    const ofPlatform = replies.filter(({ platform }) => platform === name);
    if (!records || ofPlatform.length === 0) continue;
    const withPayloads = ofPlatform.map(async (reply) => ({ reply, payloads: await payloads.of(reply) }));
    const refused = await records.queue(tx, await Promise.all(withPayloads));
    for (const { reply, reason } of refused) await giveUpReply(deps, tx, reply, reason);
    const given = new Set(refused.map(({ reply }) => reply.replyId));
    await saveQueued(
      tx,
      ofPlatform.filter(({ replyId }) => !given.has(replyId)),
    );
  }
}

async function queueReady(tx: TenantTx, ready: readonly ReplyInParts[]): Promise<void> {
  if (ready.length === 0) return;
  const parts = ready.flatMap((one) => one.parts);
  const queued = ready.map(({ reply }) => reply);
  await Promise.all([queueParts(tx, parts), saveQueued(tx, queued)]);
}

const saveQueued = (tx: TenantTx, replies: readonly NewReply[]): Promise<void> =>
  saveReplyStates(
    tx,
    replies.map(({ tenantId, replyId }) => ({ tenantId, replyId, state: 'queued' })),
  );

async function stopEarlier(deps: QueueDeps, tx: TenantTx, reply: NewReply): Promise<void> {
  const stopped = await failQueuedPartsOf(tx, reply, 'the person asked to stop');
  await announceDone(deps, tx, reply.tenantId, stopped);
}

/** A chat that was blocked after the question gets no answer. A newer question opens it for answers again. */
async function whyNotTaken(
  deps: QueueDeps,
  tx: TenantTx,
  { tenantId, botId, integrationId, platform, askedAt }: NewReply,
  chat: ReplyChat,
): Promise<string | undefined> {
  if (!chat.block) return undefined;
  if (askedAt && askedAt <= chat.block.blockedAt) return chat.block.reason;
  const { platformChatId } = chat;
  await markActive(deps, tx, { tenantId, botId, integrationId, platform, platformChatId });
  chat.block = undefined;
  return undefined;
}

const whyNotShown = (parts: readonly NewPart[]) =>
  parts.length === 0 ? 'the reply has no visible content' : undefined;

function partsOf(
  reply: NewReply,
  { platformChatId }: Pick<ReplyChat, 'platformChatId'>,
  payloads: readonly Payload[],
): NewPart[] {
  const { tenantId, replyId, botId, integrationId, platform, place } = reply;
  return payloads.map((payload) => ({
    tenantId,
    partId: uuidv7(),
    replyId,
    botId,
    integrationId,
    platformChatId,
    platform,
    threadId: place.threadId ?? null,
    payload,
  }));
}
