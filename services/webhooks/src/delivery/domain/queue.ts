import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { markActive } from '../../chats/domain/chat-state.ts';
import type { PendingReply } from '../../platforms/platform.ts';
import type { Payload } from '../../store/schema.ts';
import type { QueueDeps } from '../deps.ts';
import { giveUpPartsOf } from '../store/given-up-parts.ts';
import { type NewPart, queueParts } from '../store/parts.ts';
import {
  type Conversation,
  insertReplies,
  listStoredReplies,
  listWaitingReplies,
  lockNextReplySeqs,
  type NewReply,
  saveNextReplySeqs,
  saveReplyStates,
} from '../store/replies.ts';
import { lockChatsOf, type ReplyChat } from '../store/reply-chats.ts';
import { announceEnded, giveUpReplies } from './announce-replies.ts';
import { blankErased, listRecipients } from './blank-replies.ts';
import { formatReplies, formattingEnds } from './format-replies.ts';

/**
 * Queues replies for sending. Each is queued after every earlier reply in its conversation: events may arrive out of
 * order, but messages must not.
 */
export async function queueReplies(
  deps: QueueDeps,
  tx: TenantTx,
  replies: readonly NewReply[],
): Promise<void> {
  const signal = formattingEnds();
  // Before anything is locked.
  const payloads = await formatReplies(deps, replies, signal);
  const [next, waiting, recipients] = await Promise.all([
    lockNextReplySeqs(tx, replies),
    listWaitingReplies(tx, replies),
    listRecipients(deps, tx, replies),
  ]);
  const added = await leaveOutStored(tx, replies, { next, waiting });
  await queueInTurn(deps, tx, { added, waiting, next, recipients, payloads, signal });
}

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
  const none = new Map();
  const signal = formattingEnds();
  await queueInTurn(deps, tx, { added: [], waiting, next, recipients: none, payloads: none, signal });
}

interface Queue {
  /** Replies that aren't stored yet. */
  added: readonly NewReply[];
  /** Stored replies that wait for earlier ones. */
  waiting: readonly NewReply[];
  /** The position of the reply that may be sent next, by conversation. */
  next: ReadonlyMap<string, number>;
  /** The person who receives each added reply, by the reply. */
  recipients: ReadonlyMap<string, string>;
  /** Those of the added replies. */
  payloads: Payloads;
  /** Ends the formatting of others. */
  signal: AbortSignal;
}

type Payloads = ReadonlyMap<string, readonly Payload[]>;

/** A reply may be published again, under the identifier of another event. */
async function leaveOutStored(
  tx: TenantTx,
  replies: readonly NewReply[],
  { next, waiting }: Pick<Queue, 'next' | 'waiting'>,
): Promise<NewReply[]> {
  const isPassed = ({ conversationId, replySeq }: NewReply) => replySeq < (next.get(conversationId) ?? 1);
  const stored = await listStoredReplies(tx, replies.filter(isPassed));
  const seen = new Set([...stored, ...waiting.map(({ replyId }) => replyId)]);
  return replies.filter(({ replyId }) => !seen.has(replyId) && seen.add(replyId));
}

async function queueInTurn(
  deps: QueueDeps,
  tx: TenantTx,
  { added, waiting, next, recipients, payloads: ofAdded, signal }: Queue,
): Promise<void> {
  const { turns, positions } = takeTurns([...waiting, ...added], next);
  const unformatted = turns.filter(({ replyId }) => !ofAdded.has(replyId));
  const payloads = new Map([...ofAdded, ...(await formatReplies(deps, unformatted, signal))]);
  // Platforms that keep records of sent replies lock the records instead of the chats.
  const forChats = turns.filter(({ platform }) => deps.platforms[platform].records === undefined);
  const [chats, blanked] = await Promise.all([lockChatsOf(tx, forChats), blankErased(tx, added, recipients)]);
  const kept = (reply: NewReply): NewReply => blanked.get(reply.replyId) ?? reply;
  const inTurn = new Set(turns);
  const stopping = forChats.filter(({ stopsEarlier }) => stopsEarlier);
  const verdicts = judge(forChats.map((reply) => toSendable(kept(reply), chats, payloads)));
  const isPlain =
    stopping.length === 0 &&
    forChats.length === turns.length &&
    verdicts.every(({ verdict }) => verdict === 'queue');
  tx.afterCommit(deps.wakeSender);
  if (isPlain) tx.endsHere();
  await Promise.all([
    insertReplies(
      tx,
      added.map((reply) => ({ ...kept(reply), state: inTurn.has(reply) ? 'queued' : 'waiting' })),
    ),
    saveReplyStates(
      tx,
      waiting.flatMap((reply) => (inTurn.has(reply) ? [{ ...reply, state: 'queued' as const }] : [])),
    ),
    saveNextReplySeqs(tx, positions),
    stopEarlier(deps, tx, stopping),
    queueParts(
      tx,
      verdicts.flatMap(({ verdict, parts }) => (typeof verdict === 'string' ? parts : [])),
    ),
  ]);
  if (isPlain) return;
  for (const { reply, chat, verdict } of verdicts)
    if (verdict === 'reopen') await markActive(deps, tx, { ...reply, platformChatId: chat.platformChatId });
  const recorded = turns.filter((reply) => !forChats.includes(reply)).map(kept);
  const refused = await queueRecorded(deps, tx, recorded, payloads);
  const givenUp = verdicts.flatMap(({ reply, verdict }) =>
    typeof verdict === 'string' ? [] : [{ reply, reason: verdict.reason }],
  );
  await giveUpReplies(deps, tx, [...givenUp, ...refused]);
}

/** The replies that may be queued now, in the order of their conversations, and what is next in each. */
function takeTurns(
  replies: readonly NewReply[],
  next: ReadonlyMap<string, number>,
): { turns: NewReply[]; positions: (Conversation & { nextReplySeq: number })[] } {
  const positions = new Map<string, Conversation & { nextReplySeq: number }>();
  const turns: NewReply[] = [];
  for (const reply of replies.toSorted((one, other) => one.replySeq - other.replySeq)) {
    const { tenantId, conversationId, replySeq } = reply;
    const from = positions.get(conversationId)?.nextReplySeq ?? next.get(conversationId) ?? 1;
    if (replySeq > from) continue;
    turns.push(reply);
    positions.set(conversationId, { tenantId, conversationId, nextReplySeq: Math.max(from, replySeq + 1) });
  }
  return { turns, positions: [...positions.values()] };
}

/** A reply that was blanked since it was formatted has none. */
const payloadsOf = ({ replyId, text }: NewReply, payloads: Payloads): readonly Payload[] =>
  text === '' ? [] : (payloads.get(replyId) ?? []);

/** A reply for a chat, with its parts. */
interface Sendable {
  reply: NewReply;
  chat: ReplyChat;
  parts: NewPart[];
}

function toSendable(reply: NewReply, chats: ReadonlyMap<string, ReplyChat>, payloads: Payloads): Sendable {
  const { tenantId, replyId, botId, integrationId, platform, place } = reply;
  const chat = chats.get(reply.conversationId)!;
  const parts = payloadsOf(reply, payloads).map((payload) => ({
    tenantId,
    partId: uuidv7(),
    replyId,
    botId,
    integrationId,
    platformChatId: chat.platformChatId,
    platform,
    threadId: place.threadId ?? null,
    payload,
  }));
  return { reply, chat, parts };
}

/** `reopen`: the reply is queued, and is the first one that its blocked chat gets again. */
type Verdict = 'queue' | 'reopen' | { reason: string };

/** Whether each reply is queued: the first reason against it that applies. */
function judge(sendable: readonly Sendable[]): (Sendable & { verdict: Verdict })[] {
  const reopened = new Set<ReplyChat>();
  return sendable.map((one, index) => {
    const { reply, chat, parts } = one;
    const isStopped = sendable
      .slice(index + 1)
      .some(({ reply: later }) => later.stopsEarlier && later.conversationId === reply.conversationId);
    if (isStopped) return { ...one, verdict: { reason: stopped } };
    if (parts.length === 0) return { ...one, verdict: { reason: 'the reply has no visible content' } };
    if (!chat.block || reopened.has(chat)) return { ...one, verdict: 'queue' };
    // A chat that was blocked after the question gets no answer. A newer question opens it for answers again.
    const { blockedAt, reason } = chat.block;
    if (reply.askedAt && reply.askedAt <= blockedAt) return { ...one, verdict: { reason } };
    reopened.add(chat);
    return { ...one, verdict: 'reopen' };
  });
}

const stopped = 'the person asked to stop';

async function stopEarlier(deps: QueueDeps, tx: TenantTx, stopping: readonly NewReply[]): Promise<void> {
  if (stopping.length > 0) await announceEnded(deps, tx, await giveUpPartsOf(tx, stopping, stopped));
}

/** Queues replies for platforms that keep records of sent replies. Returns those that were given up. */
async function queueRecorded(
  deps: QueueDeps,
  tx: TenantTx,
  replies: readonly NewReply[],
  payloads: Payloads,
): Promise<{ reply: PendingReply; reason: string }[]> {
  const lists = [];
  for (const [platform, ofPlatform] of Map.groupBy(replies, (reply) => reply.platform)) {
    const shown = ofPlatform.map((reply) => ({ reply, payloads: payloadsOf(reply, payloads) }));
    lists.push(await deps.platforms[platform].records?.queue(tx, shown));
  }
  return lists.flatMap((list) => list ?? []);
}
