import { withTenant } from '@botyard/shared/db/database';
import { politeRefusal } from '../../answering/domain/answer-record.ts';
import { sayingTo } from '../../conversations/domain/phrases.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { readMediaOf } from '../../media/domain/read-media.ts';
import { whyNotHere } from '../../routing/domain/group-rules.ts';
import type { BotRow } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { hasRecentNotice } from '../store/notices.ts';
import { admit } from './admission.ts';
import { whyCancelled } from './cancellation.ts';
import { closeGap } from './missing-messages.ts';
import type { TurnRead } from './read-turn.ts';
import { type AdmittedTurn, messagesOf, nothingWaits, type TurnEnd, unchecked } from './turn-end.ts';

/** A turn that its bot answers. */
export type AnswerableTurn = Omit<TurnRead, 'bot' | 'messages'> &
  AdmittedTurn & { kind: 'answerable'; bot: BotRow };

type ReasonOf = (turn: TurnRead & { threadId: string | undefined }) => string | false | undefined;

/** Why a turn gets no answer, before its senders are checked. The first reason that applies counts. */
const reasonsForSilence: readonly ReasonOf[] = [
  ({ bot }) => !bot?.isEnabled && 'the bot is disabled or deleted',
  // Also while staff handles the chat: a program's text is never context for a later answer.
  ({ messages }) => messages[0]?.automaticReason ?? undefined,
  ({ messages, cancellation, isForStaff }) => !isForStaff && whyCancelled(messages, cancellation),
  ({ messages, routing, threadId }) => whyNotHere({ group: routing.group, threadId, turn: messages }),
];

/** The time until the messages behind a gap are looked at again. */
const gapWaitMs = 1000;
/** A message is suspect after so many claims without an end. */
const maxClaims = 20;

/** Decides whether a turn is answered. If not, this is its end. */
export async function decide(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: TurnRead,
): Promise<TurnEnd | AnswerableTurn> {
  const { bot, messages, isForStaff } = turn;
  if (!(await isNextInOrder(deps, conversation, turn))) return { kind: 'postponed', waitMs: gapWaitMs };
  if (messages.length === 0) return nothingWaits;
  const { threadId } = conversation.place;
  const reason = reasonsForSilence.map((reasonOf) => reasonOf({ ...turn, threadId })).find(Boolean);
  if (!bot || reason) return { kind: 'silence', turn: unchecked(messages), reason: String(reason) };
  if (conversation.claims > maxClaims) return poisonous(deps, conversation, turn);
  const media = isForStaff ? { turn: messages } : await readMediaOf(deps, conversation, messages);
  if ('waitMs' in media) return { kind: 'postponed', waitMs: media.waitMs };
  const admitted = await admit(deps, conversation, media.turn);
  if (isForStaff) return { kind: 'silence', turn: admitted, reason: 'a person handles the chat', isForStaff };
  if (admitted.heard.length === 0) return await refuse(deps, conversation, { ...admitted, bot });
  return { ...turn, ...admitted, kind: 'answerable', bot };
}

/** Messages arrive out of order only after trouble with the bus: an earlier one is on its way, or lost. */
async function isNextInOrder(
  deps: Deps,
  conversation: ClaimedConversation,
  { queued: [first] }: TurnRead,
): Promise<boolean> {
  if (!first || first.seq <= conversation.nextSeq) return true;
  const openMs = conversation.nowMs() - first.createdAt.getTime();
  return await closeGap(deps, conversation, { beforeSeq: first.seq, openMs });
}

/**
 * The message's claims all ended with the death of their process. No error was reported, but the attempts have to
 * stop.
 */
function poisonous({ log }: Deps, { claims }: ClaimedConversation, { messages }: TurnRead): TurnEnd {
  const tries = claims - 1;
  log.error({ messageId: messages[0]?.messageId, claims }, 'a message is dead');
  return {
    kind: 'dead',
    turn: unchecked(messages),
    reason: `abandoned after ${tries} claims without an end`,
    tries,
  };
}

/** All senders are refused. Only a private sender without a grant is notified, at most once per chat and hour. */
async function refuse(
  { database }: Deps,
  conversation: ClaimedConversation,
  { bot, ...turn }: AdmittedTurn & { bot: BotRow },
): Promise<TurnEnd> {
  const cause = 'private chat not granted';
  const isNotified =
    turn.refused.every(({ refusal }) => refusal !== cause) ||
    (await withTenant(database, [conversation.tenantId], (tx) => hasRecentNotice(tx, conversation, cause)));
  if (isNotified) return { kind: 'silence', turn, reason: 'the senders are not admitted' };
  const answer = { ...politeRefusal(sayingTo(bot, messagesOf(turn)), cause), durationMs: 0 };
  return { kind: 'reply', turn, bot, answer };
}
