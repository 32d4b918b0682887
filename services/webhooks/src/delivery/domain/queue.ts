import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { findErased } from '@botyard/shared/db/erased-people';
import { v7 as uuidv7 } from 'uuid';
import { markActive, toOwnChat } from '../../chats/domain/chat-state.ts';
import { claimFiles } from '../../media/store/outbound-files.ts';
import type { Payload } from '../../store/schema.ts';
import type { QueueDeps } from '../deps.ts';
import { type ClaimedChat, claimKey, queueChats } from '../store/chats.ts';
import { giveUpPartsOf } from '../store/given-up-parts.ts';
import { lockChatsOf, type ReplyChat } from '../store/locked-chats.ts';
import { insertParts, type NewPart, toWaitingPart } from '../store/parts.ts';
import { listStoredReplies, lockNextReplySeqs, type NewReply, saveReplies } from '../store/replies.ts';
import { announce, announceEnded } from './announce-replies.ts';
import { type Step, saveSteps, stepOf } from './prepare.ts';

/**
 * The time limit for the thread's work on all replies that are queued together, including the thread's start: below the
 * time for which a transaction may be idle. Only dozens of hostile replies at once reach it, and are then sent plain.
 */
const formattingMs = 12_000;

/**
 * Queues replies for sending, and begins to send them in chats where nothing else waits. Each is queued after every
 * earlier reply in its conversation: events may arrive out of order, but messages must not.
 */
export async function queueReplies(
  deps: QueueDeps,
  tx: TenantTx,
  replies: readonly NewReply[],
): Promise<void> {
  const signal = AbortSignal.timeout(formattingMs);
  // Before anything is locked.
  const payloads = await formatReplies(deps, replies, signal);
  const forChats = replies.filter(({ platform }) => !deps.platforms[platform].records);
  const [next, stored, deliverable, chats] = await Promise.all([
    lockNextReplySeqs(tx, replies),
    listStoredReplies(tx, replies),
    listDeliverable(deps, tx, replies),
    lockChatsOf(tx, forChats),
  ]);
  for (const { replyId } of replies) if (!deliverable.has(replyId)) payloads.set(replyId, []);
  // A reply may be published again, under the identifier of another event.
  const seen = new Set(stored.map(({ replyId }) => replyId));
  const added = replies
    .filter(({ replyId }) => !seen.has(replyId) && seen.add(replyId))
    .map((reply) => (deliverable.has(reply.replyId) ? reply : { ...reply, ...blank }));
  // Those whose turn it is, in the order of their conversations. Each advances what is `next` in its own.
  const waiting = [...stored.filter(({ state }) => state === 'waiting'), ...added];
  const inTurn = waiting
    .toSorted((one, other) => one.replySeq - other.replySeq)
    .filter(({ conversationId, replySeq }) => {
      const from = next.get(conversationId) ?? 1;
      if (replySeq <= from) next.set(conversationId, Math.max(from, replySeq + 1));
      return replySeq <= from;
    });
  const unformatted = inTurn.filter(({ replyId }) => !payloads.has(replyId));
  for (const [replyId, late] of await formatReplies(deps, unformatted, signal)) payloads.set(replyId, late);
  const turns = inTurn.map((reply) => ({
    reply,
    payloads: payloads.get(reply.replyId) ?? [],
    chat: chats.get(reply.conversationId),
  }));
  const { queued, refused } = await decide(deps, tx, turns);
  const { steps, ready } = beginSends(deps, tx, queued);
  tx.endsHere();
  const states = new Map<string, 'queued' | 'failed'>();
  for (const { replyId } of inTurn) states.set(replyId, 'queued');
  for (const { reply } of refused) states.set(reply.replyId, 'failed');
  const saved = [...new Set([...added, ...inTurn])].map((reply) => ({
    ...reply,
    state: states.get(reply.replyId) ?? ('waiting' as const),
  }));
  const newParts = queued.flatMap(({ parts }) => parts);
  // All statements are sent together.
  await Promise.all([
    claimFiles(
      tx,
      added.filter(({ file }) => file),
    ),
    saveReplies(tx, saved),
    insertParts(tx, newParts),
    queueChats(tx, ready),
    saveSteps(deps, tx, steps),
    announce(deps, tx, refused.map(toEnded)),
  ]);
}

/** The payloads of replies in their platforms' formats, by the replies' ids. A text is followed by its file. */
async function formatReplies(
  { platforms }: QueueDeps,
  replies: readonly NewReply[],
  signal: AbortSignal,
): Promise<Map<string, readonly Payload[]>> {
  const formatted = replies.map(async ({ tenantId, replyId, platform, text, template, choices, file }) => {
    const { format, templates } = platforms[platform];
    const payloads: Payload[] = [];
    if (template && templates) payloads.push(templates.payloadOf({ text, template }));
    if (!template && text !== '')
      payloads.push(...(await format({ tenantId, markdown: text, choices: choices ?? [], signal })));
    if (file) payloads.push({ file });
    return [replyId, payloads] as const;
  });
  return new Map(await Promise.all(formatted));
}

/** The replies that have a recipient who wasn't erased since the question. The others can no longer be delivered. */
async function listDeliverable(
  { platforms }: QueueDeps,
  tx: TenantTx,
  replies: readonly NewReply[],
): Promise<Set<string>> {
  const lists = [...Map.groupBy(replies, ({ platform }) => platform)].map(([platform, theirs]) =>
    platforms[platform].listRecipients(tx, theirs),
  );
  const recipients = new Map((await Promise.all(lists)).flatMap((list) => [...list]));
  const said = replies.flatMap(({ tenantId, replyId, platform, askedAt }) => {
    const platformUserId = recipients.get(replyId);
    if (platformUserId === undefined) return [];
    const personId = personIdOfAccount(tenantId, { platform, platformUserId });
    return [{ tenantId, replyId, personId, saidAt: askedAt ?? new Date() }];
  });
  const erased = await findErased(tx, 'webhooks', said);
  return new Set(said.filter((_one, index) => !erased.has(index)).map(({ replyId }) => replyId));
}

/** A reply that can't be delivered keeps its position, so that later replies needn't wait, but has no content. */
const blank = {
  text: '',
  file: null,
  template: null,
  choices: null,
  place: { platformChatId: '', kind: 'private', title: '' },
} as const;

/** A reply whose turn it is. Without a chat, its platform keeps records of sent replies. */
interface Turn {
  reply: NewReply;
  payloads: readonly Payload[];
  chat: ReplyChat | undefined;
}

interface Verdicts {
  queued: { reply: NewReply; chat: ReplyChat & ClaimedChat; parts: NewPart[] }[];
  refused: { reply: Pick<NewReply, 'tenantId' | 'botId' | 'conversationId' | 'replyId'>; reason: string }[];
}

const toEnded = ({ reply, reason: lastError }: Verdicts['refused'][number]) => ({
  tenantId: reply.tenantId,
  botId: reply.botId,
  conversationId: reply.conversationId,
  replyId: reply.replyId,
  hasFailed: true,
  isUncertain: false,
  platformMessageIds: [],
  lastError,
});

const stopped = 'the person asked to stop';

/** Whether each reply is queued: the first reason against it that applies. Queues those of platforms with records. */
async function decide(deps: QueueDeps, tx: TenantTx, turns: readonly Turn[]): Promise<Verdicts> {
  const stopping = turns.filter(({ reply, chat }) => chat && reply.stopsEarlier).map(({ reply }) => reply);
  if (stopping.length > 0) await announceEnded(deps, tx, await giveUpPartsOf(tx, stopping, stopped));
  const { queued, refused }: Verdicts = { queued: [], refused: [] };
  const recorded = turns.filter(({ chat }) => !chat);
  for (const [platform, shown] of Map.groupBy(recorded, ({ reply }) => reply.platform))
    refused.push(...((await deps.platforms[platform].records?.queue(tx, shown)) ?? []));
  for (const [index, { reply, chat, payloads }] of turns.entries()) {
    if (!chat) continue;
    const reason = reasonToRefuse({ reply, chat, payloads }, turns.slice(index + 1));
    if (reason !== undefined) refused.push({ reply, reason });
    else {
      const { tenantId, replyId, botId, integrationId, platform, place } = reply;
      const { chatKey } = chat;
      const ofChat = { ...chat, tenantId, botId, integrationId, platform };
      if (chat.blockedAt) await markActive(deps, tx, toOwnChat(ofChat));
      chat.blockedAt = null;
      const threadId = place.threadId ?? null;
      const parts = payloads.map((payload) => {
        const partId = uuidv7();
        return { tenantId, partId, replyId, botId, chatKey, threadId, payload, isBegun: false };
      });
      queued.push({ reply, chat: ofChat, parts });
    }
  }
  return { queued, refused };
}

function reasonToRefuse(
  { reply, chat, payloads }: Turn & { chat: ReplyChat },
  later: readonly Turn[],
): string | undefined {
  const { askedAt, conversationId } = reply;
  const { blockedAt, blockedReason } = chat;
  if (later.some(({ reply: one }) => one.stopsEarlier && one.conversationId === conversationId))
    return stopped;
  if (payloads.length === 0) return 'the reply has no visible content';
  // A chat that was blocked after the question gets no answer. A newer question opens it for answers again.
  if (blockedAt && askedAt && askedAt <= blockedAt) return blockedReason ?? '';
  return undefined;
}

/**
 * Claims chats in which nothing else waits, and takes the first step in them, as far as this process has slots for
 * their tenants. This saves the claim and the transaction of `prepareSends`. The other chats are ready for a sender.
 */
function beginSends(
  { journal, platforms, sending, wakeSender }: QueueDeps,
  tx: TenantTx,
  queued: Verdicts['queued'],
): { steps: Step[]; ready: ClaimedChat[] } {
  const heldSince = performance.now();
  const steps: Step[] = [];
  const ready: ClaimedChat[] = [];
  for (const [first] of Map.groupBy(queued, ({ chat }) => claimKey(chat)).values()) {
    const { reply, chat, parts } = first!;
    const [firstPart] = parts;
    const { tenantId, platform } = chat;
    const slot = chat.isIdle ? sending.reserve(platform, tenantId) : undefined;
    if (!slot) {
      ready.push(chat);
      continue;
    }
    const step = stepOf({ journal, platforms }, chat, toWaitingPart(firstPart!, reply, chat.now));
    firstPart!.isBegun = step.begun !== undefined;
    tx.afterCommit(() => slot.run({ ...chat, prepared: step.prepared }, heldSince));
    tx.afterFailure(slot.giveBack);
    steps.push(step);
  }
  for (const platform of new Set(ready.map((chat) => chat.platform)))
    tx.afterCommit(() => wakeSender(platform));
  return { steps, ready };
}
