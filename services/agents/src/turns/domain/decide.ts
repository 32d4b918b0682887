import { withTenant } from '@botyard/shared/db/database';
import { politeRefusal } from '../../answering/domain/answer-record.ts';
import { sayingTo } from '../../conversations/domain/phrases.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { closeGap } from '../../intake/domain/missing-messages.ts';
import { readMediaOf } from '../../media/domain/read-media.ts';
import { whyNotHere } from '../../routing/domain/group-rules.ts';
import type { BotRow } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { hasRecentNotice } from '../store/notices.ts';
import { whyCancelled } from './cancellation.ts';
import type { TurnRead } from './read-turn.ts';
import { heardIn, type TurnEnd } from './turn-end.ts';

/** A turn that its bot answers. */
export interface AnswerableTurn extends TurnRead {
  kind: 'answerable';
  bot: BotRow;
  /** The messages whose senders are admitted. */
  heard: SaidRow[];
}

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
/** After so many claims that all ended with the death of their process, no further attempt is made. */
const maxClaims = 20;

/** Decides whether a turn is answered. If not, this is its end. */
export async function decide(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: TurnRead,
): Promise<TurnEnd | AnswerableTurn> {
  const { bot, messages, isForStaff, queued, rating } = turn;
  const { claims, place } = conversation;
  if (!(await closeGap(deps, conversation, queued[0]))) return { kind: 'postponed', waitMs: gapWaitMs };
  const [first] = messages;
  if (!first) return { kind: 'silence', messages, reason: 'nothing waits' };
  if (rating) return { kind: 'silence', messages, reason: 'it rates an answer', rating };
  const { threadId } = place;
  const reason = reasonsForSilence.map((reasonOf) => reasonOf({ ...turn, threadId })).find(Boolean);
  if (!bot || reason) return { kind: 'silence', messages, reason: String(reason) };
  if (claims > maxClaims) {
    deps.log.error({ messageId: first.messageId, claims }, 'a message is dead');
    const tries = claims - 1;
    return { kind: 'dead', messages, reason: `abandoned after ${tries} claims without an end`, tries };
  }
  const media = isForStaff ? { turn: messages } : await readMediaOf(deps, conversation, messages);
  if ('waitMs' in media) return { kind: 'postponed', waitMs: media.waitMs };
  const refusals = await deps.tenancy.admit(
    conversation,
    messages.map(({ sender }) => sender),
  );
  const checked = media.turn.map((message, index) => ({ ...message, refusal: refusals[index]! }));
  if (isForStaff)
    return { kind: 'silence', messages: checked, reason: 'a person handles the chat', isForStaff };
  const heard = heardIn(checked);
  if (heard.length > 0) return { ...turn, messages: checked, heard, kind: 'answerable', bot };
  return await refuse(deps, bot, checked);
}

const notGranted = 'private chat not granted';

/** All senders are refused. Only a private sender without a grant is notified, at most once per chat and hour. */
async function refuse({ database }: Deps, bot: BotRow, messages: readonly SaidRow[]): Promise<TurnEnd> {
  const first = messages.find(({ refusal }) => refusal === notGranted);
  const isNotified =
    !first || (await withTenant(database, [first.tenantId], (tx) => hasRecentNotice(tx, first, notGranted)));
  if (isNotified) return { kind: 'silence', messages, reason: 'the senders are not admitted' };
  const answer = { ...politeRefusal(sayingTo(bot, messages), notGranted), durationMs: 0 };
  return { kind: 'reply', messages, bot, answer };
}
