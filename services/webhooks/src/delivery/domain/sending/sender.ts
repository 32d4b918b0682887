import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import type { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Deps } from '../../../deps.ts';
import { countWaitingParts } from '../../store/depth.ts';
import { type PartSend, savePartOutcome } from '../../store/part-outcomes.ts';
import { listReplyOutcomes } from '../../store/replies.ts';
import {
  advancePaces,
  beginPart,
  bookBotPace,
  type ClaimedChat,
  chatKey,
  claimChats,
  claimChatsOfLone,
  getFirstWaitingPart,
  type LockedChat,
  lockBotPace,
  openSendsOf,
  releaseChat,
  type WaitingPart,
} from '../../store/sending.ts';
import { markBlocked } from '../chats/chat-state.ts';
import { migrateChat } from '../chats/migrate-chat.ts';
import { announceOutcomes } from '../chats/settle-reply.ts';
import type { Typing } from '../chats/typing.ts';
import { ChatLease } from './chat-lease.ts';
import type { Closing } from './closing.ts';
import type { KnownOutcomes } from './known-outcomes.ts';
import { botPace, botTurn, paceOfChat, waitMs } from './pace.ts';
import { createSendLoop } from './send-loop.ts';
import { type SendOutcome, sendPart } from './send-part.ts';

const maxConcurrentChats = 64;

interface Begun {
  send: WaitingPart;
  openSends: number;
}

type Step = Begun | { waitMs: number } | 'done';

interface Sent {
  part: WaitingPart;
  outcome: SendOutcome;
}

/** What all senders of a process have in common. */
export interface Sending {
  processId: string;
  outcomes: KnownOutcomes;
  /** What processes before have known is written: only then anything is claimed. */
  isRestored: Promise<void>;
  closing: Closing;
}

/**
 * Sends what is queued, one message after another in each chat and many chats at once. Every step is fenced: a
 * worker that lost its chat while it slept begins nothing (reliability, rule 4).
 */
export function createSender(deps: Deps, typing: Typing, sending: Sending): ClaimLoop<ClaimedChat> {
  const { database, instance } = deps;
  instance.watchesQueue('replies', () => withPlatform(database, 'queue depth', countWaitingParts));
  return createSendLoop<ClaimedChat>(deps, sending, {
    name: 'sender',
    slots: maxConcurrentChats,
    keyOf: chatKey,
    claim: claimChats,
    claimOfLone: claimChatsOfLone,
    run: (chat) => sendWaiting({ ...deps, typing, sending }, chat),
  });
}

type SenderDeps = Deps & { typing: Typing; sending: Sending };

/** Sends until nothing waits or the pace asks to; returns for how long in that case. */
async function sendWaiting(deps: SenderDeps, chat: ClaimedChat): Promise<number | undefined> {
  const lease = new ChatLease(deps.database, chat, deps.sending.outcomes.givingUp);
  let sent: Sent | undefined;
  for (;;) {
    const step = await advance(deps, lease, sent);
    if (step === 'done') return undefined;
    if (step && 'waitMs' in step) return step.waitMs;
    if (step) sent = await sendBegun(deps, lease, step);
    if (!step || !sent) {
      deps.log.warn({ botId: chat.botId, hadSent: !!sent }, 'a chat was taken over by another worker');
      return undefined;
    }
  }
}

/** `undefined` when the chat was lost before the send. */
async function sendBegun(
  deps: SenderDeps,
  lease: ChatLease,
  { send: part, openSends }: Begun,
): Promise<Sent | undefined> {
  const { typing, sending } = deps;
  const { botId, platformChatId } = lease.chat;
  let outcome: SendOutcome | undefined;
  try {
    await failpoint('webhooks.sender.before-send');
    await typing.settled(botId, platformChatId);
    const how = { openSends, signal: sending.closing.signal };
    outcome = await asSpan(lease.chat, part, () => sendPart(deps, lease, part, how));
    await failpoint('webhooks.sender.after-send');
    return outcome && { part, outcome };
  } finally {
    lease.begun = undefined;
    // What was begun and not sent must not count as a send of which nobody knows what came of it.
    if (!outcome) await saveAlone(deps, lease, { part, outcome: { state: 'queued' } });
  }
}

const sendOf = ({ tenantId }: ClaimedChat, { part, outcome }: Sent): PartSend => ({
  tenantId,
  partId: part.partId,
  send: part.sends + 1,
  outcome,
});

/**
 * Settles what was sent and begins the next part. When that is held up, what is known of the send is written by itself
 * first, however long it takes. `undefined` when the chat was lost.
 */
async function advance(
  deps: SenderDeps,
  lease: ChatLease,
  sent: Sent | undefined,
): Promise<Step | undefined> {
  const { outcomes } = deps.sending;
  const next = (settles: boolean) => (tx: TenantTx, locking: Promise<LockedChat | undefined>) =>
    nextStep(deps, tx, { lease, locking, sent, settles });
  if (!sent) return await lease.renew(next(false));
  if (!outcomes.isHampered) {
    try {
      const step = await lease.renewOnce(next(true));
      // The send was real, whoever holds the chat now.
      if (!step) await saveAlone(deps, lease, sent);
      return step;
    } catch (error) {
      deps.log.warn({ err: error, botId: lease.chat.botId }, 'a send is settled by itself');
      outcomes.noteHampered();
    }
  }
  if (!(await saveAlone(deps, lease, sent))) return undefined;
  return await lease.renew(next(emptiesQueue(sent.outcome)));
}

function saveAlone({ sending }: SenderDeps, { chat }: ChatLease, sent: Sent): Promise<boolean> {
  const { tenantId, partId: id, send, outcome } = sendOf(chat, sent);
  return sending.outcomes.save({ kind: 'part', tenantId, id, send, outcome });
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
  lease: ChatLease;
  locking: Promise<LockedChat | undefined>;
  sent: Sent | undefined;
  /** What was sent is settled here, not by itself. */
  settles: boolean;
}

/** Settles what was sent and begins the next part, in one transaction. `undefined` when the chat was lost. */
async function nextStep(deps: SenderDeps, tx: TenantTx, turn: Turn): Promise<Step | undefined> {
  const { lease, locking, sent, settles } = turn;
  const { chat } = lease;
  const settling = sent && settles ? settle(deps, tx, turn, sent) : undefined;
  // When what is asked below fails first, nobody waits for it any more.
  settling?.catch(() => undefined);
  if (sent && settles && emptiesQueue(sent.outcome)) await settling;
  // None waits for another's result, so they are sent together; what was sent is settled before the next part is read.
  const [locked, part, bot] = await Promise.all([
    locking,
    getFirstWaitingPart(tx, chat),
    lockBotPace(tx, chat.tenantId, chat.botId),
  ]);
  if (!locked) return undefined;
  // What became of the reply is announced in the same turn.
  tx.endsHere();
  const { isClosing } = deps.sending.closing;
  const [step] = await Promise.all([takeStep(tx, lease, { locked, part, bot, sent, isClosing }), settling]);
  return step;
}

interface Found {
  locked: LockedChat;
  part: WaitingPart | undefined;
  bot: Awaited<ReturnType<typeof lockBotPace>>;
  sent: Sent | undefined;
  /** The process ends: another one goes on with the chat. */
  isClosing: boolean;
}

/** All that it writes is written at once. */
async function takeStep(tx: TenantTx, lease: ChatLease, found: Found): Promise<Step> {
  const { locked, part, bot, sent, isClosing } = found;
  const { chat } = lease;
  if (!part) {
    await releaseChat(tx, chat, { waitMs: null });
    return 'done';
  }
  // Begun by this worker, in a commit that it heard nothing of.
  if (part.wasBegun && lease.begun?.partId === part.partId && lease.begun.send === part.sends)
    return { send: { ...part, sends: part.sends - 1 }, openSends: openSendsOf(part, { wasSent: false }) };
  const pace = paceOfChat(chat.platformChatId);
  const ownWaitMs = Math.max(sent?.outcome.waitMs ?? 0, waitMs(pace, locked.aheadMs));
  if (ownWaitMs > 0 || isClosing) {
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
  const wasSent = part.wasBegun;
  lease.begun = { partId: part.partId, send: part.sends + 1 };
  await Promise.all([
    advancePaces(tx, chat, { chat: pace.intervalMs, bot: botPace.intervalMs }),
    beginPart(tx, chat.tenantId, part, { wasSent }),
  ]);
  return { send: part, openSends: openSendsOf(part, { wasSent }) };
}

/** What it writes and reads first is sent at once, behind the locking; nothing is written when the chat was lost. */
async function settle(deps: Deps, tx: TenantTx, turn: Turn, sent: Sent): Promise<void> {
  const { part, outcome } = sent;
  const { lease, locking } = turn;
  const { chat } = lease;
  const { tenantId, platformChatId: fromChatId } = chat;
  const { migratedToChatId: toChatId = fromChatId, blockedReason: reason } = outcome;
  const [locked, , outcomes] = await Promise.all([
    locking,
    savePartOutcome(tx, sendOf(chat, sent)),
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
