import { type TenantTx, withPlatform, withPlatformRelaxed } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import { FairShares } from '@botyard/shared/work/fair-shares';
import type { Deps } from '../../deps.ts';
import { countWaitingParts } from '../../store/health/depth.ts';
import { listReplyOutcomes } from '../../store/replies.ts';
import {
  advancePaces,
  beginPart,
  bookBotPace,
  type ClaimedChat,
  claimChats,
  claimChatsOfLone,
  getFirstWaitingPart,
  type LockedChat,
  lockBotPace,
  releaseChat,
  savePartOutcome,
  type WaitingPart,
} from '../../store/sending.ts';
import { markBlocked } from '../chats/chat-state.ts';
import { migrateChat } from '../chats/migrate-chat.ts';
import { announceOutcomes } from '../chats/settle-reply.ts';
import type { Typing } from '../chats/typing.ts';
import { Hold } from './hold.ts';
import { botPace, botTurn, paceOfChat, waitMs } from './pace.ts';
import { type SendOutcome, sendPart } from './send-part.ts';

const maxConcurrentChats = 64;
const pollEveryMs = 1000;

type Step = { send: WaitingPart } | { waitMs: number } | 'done';

interface Sent {
  part: WaitingPart;
  outcome: SendOutcome;
}

/**
 * Sends what is queued, one message after another in each chat and many chats at once. Every step is fenced: a
 * worker that lost its chat while it slept writes nothing (reliability, rule 4).
 */
export function createSender(deps: Deps, typing: Typing): ClaimLoop<ClaimedChat> {
  const { database, log } = deps;
  deps.instance.watchesQueue('replies', () => withPlatform(database, 'queue depth', countWaitingParts));
  const shares = new FairShares<ClaimedChat>({
    slots: maxConcurrentChats,
    claim: (allotment) => withPlatformRelaxed(database, 'claim chats', (tx) => claimChats(tx, allotment)),
    claimOfLone: (limit) => withPlatformRelaxed(database, 'claim chats', (tx) => claimChatsOfLone(tx, limit)),
    log,
  });
  const loop = new ClaimLoop<ClaimedChat>({
    name: 'sender',
    maxConcurrent: shares.mostAtOnce,
    pollEveryMs,
    claim: (limit) => shares.claim(limit),
    mayHaveLeft: () => shares.hasHeldBack,
    run: async (chat) => {
      const wait = await sendWaiting(deps, typing, chat).finally(() => shares.end(chat));
      if (wait !== undefined) loop.wakeIn(wait);
    },
    log,
  });
  return loop;
}

/** Sends until nothing waits or the pace asks to; returns for how long in that case. */
async function sendWaiting(deps: Deps, typing: Typing, chat: ClaimedChat): Promise<number | undefined> {
  const hold = new Hold(deps.database, chat);
  let sent: Sent | undefined;
  for (;;) {
    const step = await hold.renew((tx, locking) => nextStep(deps, tx, { chat, locking, sent }));
    if (step === 'done') return undefined;
    if (step && 'waitMs' in step) return step.waitMs;
    if (step) {
      await failpoint('webhooks.sender.before-send');
      await typing.settled(chat.botId, chat.platformChatId);
      const { send } = step;
      const outcome = await asSpan(chat, send, () => sendPart(deps, hold, send));
      await failpoint('webhooks.sender.after-send');
      sent = outcome && { part: send, outcome };
    }
    if (!step || !sent) {
      deps.log.warn({ botId: chat.botId, hadSent: !!sent }, 'a chat was taken over by another worker');
      return undefined;
    }
  }
}

/** The platform's client throws nothing: what became of the part is an attribute. */
function asSpan(
  { tenantId }: ClaimedChat,
  { traceparent, attempts }: WaitingPart,
  send: () => Promise<SendOutcome | undefined>,
): Promise<SendOutcome | undefined> {
  const attributes = { 'botyard.attempt': attempts + 1 };
  const start = { name: 'send part', kind: 'client', attributes } as const;
  return inTraceOf({ tenantId, traceparent }, start, async (span) => {
    const outcome = await send();
    span.set({ 'botyard.state': outcome?.state ?? 'lost' });
    return outcome;
  });
}

interface Turn {
  chat: ClaimedChat;
  locking: Promise<LockedChat | undefined>;
  sent: Sent | undefined;
}

/** Settles what was sent and begins the next part, in one transaction. `undefined` when the chat was lost. */
async function nextStep(deps: Deps, tx: TenantTx, turn: Turn): Promise<Step | undefined> {
  const { chat, locking, sent } = turn;
  const settling = sent && settle(deps, tx, turn, sent);
  // When what is asked below fails first, nobody waits for it any more.
  settling?.catch(() => undefined);
  if (sent && emptiesQueue(sent.outcome)) await settling;
  // None waits for another's result, so they are sent together; what was sent is settled before the next part is read.
  const [locked, part, bot] = await Promise.all([
    locking,
    getFirstWaitingPart(tx, chat),
    lockBotPace(tx, chat.tenantId, chat.botId),
  ]);
  if (!locked) return undefined;
  // What became of the reply is announced in the same turn.
  tx.endsHere();
  const [step] = await Promise.all([takeStep(tx, chat, { locked, part, bot, sent }), settling]);
  return step;
}

interface Found {
  locked: LockedChat;
  part: WaitingPart | undefined;
  bot: Awaited<ReturnType<typeof lockBotPace>>;
  sent: Sent | undefined;
}

/** All that it writes is written at once. */
async function takeStep(tx: TenantTx, chat: ClaimedChat, { locked, part, bot, sent }: Found): Promise<Step> {
  if (!part) {
    await releaseChat(tx, chat, { waitMs: null });
    return 'done';
  }
  const pace = paceOfChat(chat.platformChatId);
  const ownWaitMs = Math.max(sent?.outcome.waitMs ?? 0, waitMs(pace, locked.aheadMs));
  if (ownWaitMs > 0) {
    await releaseChat(tx, chat, { waitMs: ownWaitMs });
    return { waitMs: ownWaitMs };
  }
  const turn = botTurn(bot, locked);
  if (turn.waitMs > 0) {
    const isNewInLine = turn.isBooked && !locked.isBooked;
    await Promise.all([
      isNewInLine ? bookBotPace(tx, chat, turn.waitMs + botPace.intervalMs) : undefined,
      releaseChat(tx, chat, turn),
    ]);
    return { waitMs: turn.waitMs };
  }
  await Promise.all([
    advancePaces(tx, chat, { chat: pace.intervalMs, bot: botPace.intervalMs }),
    beginPart(tx, chat.tenantId, part),
  ]);
  return { send: part };
}

/** What it writes and reads first is sent at once, behind the locking; nothing is written when the chat was lost. */
async function settle(deps: Deps, tx: TenantTx, turn: Turn, { part, outcome }: Sent): Promise<void> {
  const { chat, locking } = turn;
  const { tenantId, platformChatId: fromChatId } = chat;
  const { migratedToChatId: toChatId = fromChatId, blockedReason: reason } = outcome;
  const [locked, , outcomes] = await Promise.all([
    locking,
    savePartOutcome(tx, chat, part.partId, outcome),
    listReplyOutcomes(tx, tenantId, [part.replyId]),
  ]);
  if (!locked) return;
  await announceOutcomes(deps, tx, outcomes);
  if (toChatId !== fromChatId)
    await migrateChat(deps, tx, { ...chat, fromChatId, toChatId }, { isHeld: true });
  if (reason) await markBlocked(deps, tx, { ...chat, platformChatId: toChatId }, { reason, isHeld: true });
}

/** Parts are taken from the chat's queue then. */
const emptiesQueue = ({ migratedToChatId, blockedReason }: SendOutcome): boolean =>
  migratedToChatId !== undefined || blockedReason !== undefined;
