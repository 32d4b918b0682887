import { withTenant } from '@botyard/shared/db/database';
import { politeRefusal } from '../../answering/domain/answer-record.ts';
import { sayingTo } from '../../conversations/domain/phrases.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { readMediaOf } from '../../media/domain/read-media.ts';
import { rateReply } from '../../rating-questions/domain/rate-reply.ts';
import { whyNotHere } from '../../routing/domain/group-rules.ts';
import type { BotRow } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { hasRecentNotice } from '../store/notices.ts';
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
  if (!first) return nothingWaits;
  if (rating) {
    await rateReply(deps, conversation, first, rating);
    return { kind: 'silence', turn: unchecked(messages), reason: 'it rates an answer' };
  }
  const { threadId } = place;
  const reason = reasonsForSilence.map((reasonOf) => reasonOf({ ...turn, threadId })).find(Boolean);
  if (!bot || reason) return { kind: 'silence', turn: unchecked(messages), reason: String(reason) };
  if (claims > maxClaims) {
    deps.log.error({ messageId: first.messageId, claims }, 'a message is dead');
    const tries = claims - 1;
    const cause = `abandoned after ${tries} claims without an end`;
    return { kind: 'dead', turn: unchecked(messages), reason: cause, tries };
  }
  const media = isForStaff ? { turn: messages } : await readMediaOf(deps, conversation, messages);
  if ('waitMs' in media) return { kind: 'postponed', waitMs: media.waitMs };
  const admitted = await admit(deps, conversation, media.turn);
  if (isForStaff) return { kind: 'silence', turn: admitted, reason: 'a person handles the chat', isForStaff };
  if (admitted.heard.length > 0) return { ...turn, ...admitted, kind: 'answerable', bot };
  return await refuse(deps, bot, admitted);
}

type Sender = Pick<NonNullable<SaidRow['sender']>, 'platformUserId' | 'name'>;

/** The sender of a message that has none: no grant or mute can match it. */
const unnamed: Sender = { platformUserId: '', name: '' };

/** Requests which of a turn's senders the bot admits. @throws HttpError 503 when the tenancy service doesn't answer. */
async function admit(
  { tenancy }: Pick<Deps, 'tenancy'>,
  { tenantId, botId, platform, place }: ClaimedConversation,
  messages: readonly SaidRow[],
): Promise<AdmittedTurn> {
  const { platformChatId, kind, migratedFrom } = place;
  const all = messages.map(({ sender }) => sender ?? unnamed);
  const senders = new Map(all.map(({ platformUserId, name }) => [platformUserId, { platformUserId, name }]));
  const refusals = await tenancy.admit({
    tenantId,
    botId,
    platform,
    chat: { platformChatId, kind, migratedFrom },
    senders: [...senders.values()],
  });
  const refusalOf = ({ sender }: SaidRow) => refusals.get((sender ?? unnamed).platformUserId);
  const refused = messages.flatMap((message) => {
    const refusal = refusalOf(message);
    return refusal ? [{ message, refusal }] : [];
  });
  return { heard: messages.filter((message) => !refusalOf(message)), refused };
}

const notGranted = 'private chat not granted';

/** All senders are refused. Only a private sender without a grant is notified, at most once per chat and hour. */
async function refuse({ database }: Deps, bot: BotRow, turn: AdmittedTurn): Promise<TurnEnd> {
  const first = turn.refused.find(({ refusal }) => refusal === notGranted)?.message;
  const isNotified =
    !first || (await withTenant(database, [first.tenantId], (tx) => hasRecentNotice(tx, first, notGranted)));
  if (isNotified) return { kind: 'silence', turn, reason: 'the senders are not admitted' };
  const answer = { ...politeRefusal(sayingTo(bot, messagesOf(turn)), notGranted), durationMs: 0 };
  return { kind: 'reply', turn, bot, answer };
}
