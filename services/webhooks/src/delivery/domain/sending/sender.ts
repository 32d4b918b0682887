import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
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
import { createSendLoop, type SendLoop } from './send-loop.ts';
import { type SendOutcome, sendPart } from './send-part.ts';
import { SettledTogether } from './settled-together.ts';
import type { UnmadeSends } from './unmade-sends.ts';

const maxConcurrentChats = 64;

interface Begun {
  send: WaitingPart;
  openSends: number;
}

type Step = Begun | { waitMs: number } | 'done';

/** A chat that is claimed, and what was begun there with the claim. */
export interface ChatToServe extends ClaimedChat {
  begun?: { part: WaitingPart; heldSince: number } | undefined;
}

export interface Sent {
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
  unmade: UnmadeSends;
}

/**
 * Sends what is queued, one message after another in each chat and many chats at once. Every step is fenced: a
 * worker that lost its chat while it slept begins nothing (reliability, rule 4).
 */
export function createSender(deps: Deps, typing: Typing, sending: Sending): SendLoop<ChatToServe> {
  const { database, instance } = deps;
  instance.watchesQueue('replies', () => withPlatform(database, 'queue depth', countWaitingParts));
  const settled = new SettledTogether(deps, sending.outcomes);
  return createSendLoop<ChatToServe>(deps, sending, {
    name: 'sender',
    slots: maxConcurrentChats,
    keyOf: chatKey,
    claim: claimChats,
    claimOfLone: claimChatsOfLone,
    run: (chat) => sendWaiting({ ...deps, typing, sending, settled }, chat),
  });
}

type SenderDeps = Deps & { typing: Typing; sending: Sending; settled: SettledTogether };

/** Sends until nothing waits or the pace asks to; returns for how long in that case. */
async function sendWaiting(deps: SenderDeps, chat: ChatToServe): Promise<number | undefined> {
  const { outcomes, closing } = deps.sending;
  const { begun } = chat;
  const lease = new ChatLease(deps.database, chat, {
    givingUp: outcomes.givingUp,
    heldSince: begun?.heldSince,
  });
  let sent: Sent | undefined;
  let step: Step | undefined = begun && { send: begun.part, openSends: 0 };
  // Another process goes on with what this one has begun and not sent.
  if (begun && closing.isClosing) {
    sent = { part: begun.part, outcome: { state: 'queued' } };
    step = undefined;
  }
  for (;;) {
    step ??= await advance(deps, lease, sent);
    if (step === 'done') return undefined;
    if (step && 'waitMs' in step) return step.waitMs;
    if (step) sent = await sendBegun(deps, lease, step);
    if (!step || !sent) {
      deps.log.warn({ botId: chat.botId, hadSent: !!sent }, 'a chat was taken over by another worker');
      return undefined;
    }
    step = undefined;
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
    sending.unmade.forget(part.partId);
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
  if (sent && isPlain(sent.outcome) && !outcomes.isHampered) {
    const settled = await deps.settled.settle(lease.chat, sent);
    if (settled === 'empty') return 'done';
    if (settled === 'more') return await advance(deps, lease, undefined);
  }
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
  const { closing, unmade } = deps.sending;
  const found = { locked, part, bot, sent, isClosing: closing.isClosing, unmade };
  const [step] = await Promise.all([takeStep(tx, lease, found), settling]);
  return step;
}

/** Begun by this worker, or with its claim, in a commit that it heard nothing of. */
const isUnmade = ({ begun }: ChatLease, { partId, sends }: WaitingPart, unmade: UnmadeSends): boolean =>
  (begun?.partId === partId && begun.send === sends) || (sends === 1 && unmade.has(partId));

interface Found {
  locked: LockedChat;
  part: WaitingPart | undefined;
  bot: Awaited<ReturnType<typeof lockBotPace>>;
  sent: Sent | undefined;
  /** The process ends: another one goes on with the chat. */
  isClosing: boolean;
  unmade: UnmadeSends;
}

/** All that it writes is written at once. */
async function takeStep(tx: TenantTx, lease: ChatLease, found: Found): Promise<Step> {
  const { locked, part, bot, sent, isClosing } = found;
  const { chat } = lease;
  if (!part) {
    await releaseChat(tx, chat, { waitMs: null });
    return 'done';
  }
  if (part.wasBegun && isUnmade(lease, part, found.unmade))
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
    listReplyOutcomes(tx, [{ tenantId, replyId: part.replyId }]),
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

/** It has arrived where it was sent to. */
const isPlain = (outcome: SendOutcome): boolean => outcome.state === 'sent' && !emptiesQueue(outcome);
