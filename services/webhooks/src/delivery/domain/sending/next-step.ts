import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../../deps.ts';
import type { Paces, Platform } from '../../../platforms/platform.ts';
import { type PartSend, savePartOutcome } from '../../store/part-outcomes.ts';
import { addWait, failRestOfReply, listReplyOutcomes } from '../../store/replies.ts';
import {
  advancePaces,
  beginPart,
  bookBotPace,
  type ClaimedChat,
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
import type { ChatLease } from './chat-lease.ts';
import { botTurn, waitMs } from './pace.ts';
import type { Sending } from './send-loop.ts';
import type { SendOutcome } from './send-part.ts';
import type { UnmadeSends } from './unmade-sends.ts';

export interface Begun {
  send: WaitingPart;
  openSends: number;
}

export type Step = Begun | { waitMs: number } | 'done';

export interface Sent {
  part: WaitingPart;
  outcome: SendOutcome;
}

export const sendOf = ({ tenantId }: ClaimedChat, { part, outcome }: Sent): PartSend => ({
  tenantId,
  partId: part.partId,
  send: part.sends + 1,
  outcome,
});

type StepDeps = Deps & { platform: Platform; sending: Pick<Sending, 'closing' | 'unmade'> };

interface Turn {
  lease: ChatLease;
  locking: Promise<LockedChat | undefined>;
  sent: Sent | undefined;
  /** The outcome of the sent part is saved in this transaction, and not separately. */
  settles: boolean;
}

/**
 * Saves the outcome of the last send and begins the next part, in one transaction. Resolves with `undefined` when the
 * chat was lost.
 */
export async function nextStep(deps: StepDeps, tx: TenantTx, turn: Turn): Promise<Step | undefined> {
  const { lease, locking, sent, settles } = turn;
  const { chat } = lease;
  const settling = sent && settles ? settle(deps, tx, turn, sent) : undefined;
  // If a later statement fails first, this result is no longer awaited.
  settling?.catch(() => undefined);
  if (sent && settles && emptiesQueue(sent.outcome)) await settling;
  // No statement needs another's result, so they are sent together. The outcome is saved before the next part is read.
  const [locked, part, bot] = await Promise.all([
    locking,
    getFirstWaitingPart(tx, chat),
    deps.platform.paces && lockBotPace(tx, chat.tenantId, chat.botId),
  ]);
  if (!locked) return undefined;
  // The reply's outcome is announced in the same turn.
  tx.endsHere();
  const { closing, unmade } = deps.sending;
  const { paces } = deps.platform;
  const pace = paces && bot && { paces, bot };
  const found = { locked, part, pace, sent, isClosing: closing.isClosing, unmade };
  const [step] = await Promise.all([takeStep(tx, lease, found), settling]);
  return step;
}

/** A send that this worker has begun, or that began with its claim, in a commit that was never confirmed. */
const isUnmade = ({ begun }: ChatLease, { partId, sends }: WaitingPart, unmade: UnmadeSends): boolean =>
  (begun?.partId === partId && begun.send === sends) || (sends === 1 && unmade.has(partId));

interface Found {
  locked: LockedChat;
  part: WaitingPart | undefined;
  /** The bot's locked pace; `undefined` if the platform has none. */
  pace: { paces: Paces; bot: Awaited<ReturnType<typeof lockBotPace>> } | undefined;
  sent: Sent | undefined;
  /** The process is stopping, and another one continues with the chat. */
  isClosing: boolean;
  unmade: UnmadeSends;
}

/** All statements are sent together. */
async function takeStep(tx: TenantTx, lease: ChatLease, found: Found): Promise<Step> {
  const { locked, part, pace, sent, isClosing } = found;
  const { chat } = lease;
  if (!part) {
    await releaseChat(tx, chat, { waitMs: null });
    return 'done';
  }
  if (part.wasBegun && isUnmade(lease, part, found.unmade))
    return { send: { ...part, sends: part.sends - 1 }, openSends: openSendsOf(part, { wasSent: false }) };
  const ownWaitMs = Math.max(
    sent?.outcome.waitMs ?? 0,
    pace ? waitMs(chatPace(pace, chat), locked.aheadMs) : 0,
  );
  if (ownWaitMs > 0 || isClosing) {
    await releaseChat(tx, chat, { waitMs: ownWaitMs });
    return { waitMs: ownWaitMs };
  }
  const turn = pace && botTurn(pace.paces.bot, pace.bot, locked);
  if (turn && turn.waitMs > 0) {
    const isNewInLine = turn.isBooked && !locked.isBooked;
    await Promise.all([
      isNewInLine ? bookBotPace(tx, chat, turn.waitMs + pace.paces.bot.intervalMs) : undefined,
      releaseChat(tx, chat, turn),
    ]);
    return { waitMs: turn.waitMs };
  }
  const wasSent = part.wasBegun;
  lease.begun = { partId: part.partId, send: part.sends + 1 };
  await Promise.all([
    pace && advancePaces(tx, chat, { chat: chatPace(pace, chat).intervalMs, bot: pace.paces.bot.intervalMs }),
    beginPart(tx, chat.tenantId, part, { wasSent }),
  ]);
  return { send: part, openSends: openSendsOf(part, { wasSent }) };
}

const chatPace = ({ paces }: { paces: Paces }, { platformChatId }: ClaimedChat) => ({
  intervalMs: paces.chatIntervalMs(platformChatId),
  burst: paces.chatBurst,
});

/**
 * Saves the outcome of a send. Its first statements are sent together with the locking, and write nothing if the chat
 * was lost.
 */
async function settle(deps: StepDeps, tx: TenantTx, turn: Turn, sent: Sent): Promise<void> {
  const { part, outcome } = sent;
  const { lease, locking } = turn;
  const { chat } = lease;
  const { tenantId, platformChatId: fromChatId } = chat;
  const { movedToChatId: toChatId = fromChatId, blockedReason: reason, waitMs, askedWaitMs } = outcome;
  const { replyId } = part;
  const endsReply = outcome.endsReply && replyId !== null;
  const [locked, , , , outcomes] = await Promise.all([
    locking,
    savePartOutcome(tx, sendOf(chat, sent)),
    endsReply ? failRestOfReply(tx, { tenantId, replyId, reason: outcome.lastError ?? '' }) : undefined,
    askedWaitMs === undefined ? undefined : addWait(tx, chat, askedWaitMs),
    listReplyOutcomes(tx, replyId === null ? [] : [{ tenantId, replyId }]),
    deps.platform.records?.settle(tx, { tenantId, partId: part.partId }),
  ]);
  if (!locked) return;
  await announceOutcomes(deps, tx, outcomes);
  if (toChatId !== fromChatId)
    await migrateChat(deps, tx, { ...chat, fromChatId, toChatId }, { isHeld: true, waitMs });
  if (reason) await markBlocked(deps, tx, { ...chat, platformChatId: toChatId }, { reason, isHeld: true });
}

/** In these cases other parts of the chat's queue are changed, too. */
export const emptiesQueue = ({
  movedToChatId,
  blockedReason,
  endsReply,
  askedWaitMs,
}: SendOutcome): boolean =>
  movedToChatId !== undefined ||
  blockedReason !== undefined ||
  endsReply === true ||
  askedWaitMs !== undefined;
