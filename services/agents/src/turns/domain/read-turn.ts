import { findBot } from '@botyard/contracts/events/tenancy';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import type { TurnView } from '../../answering/store/turn-view.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { ratingsIn } from '../../rating-questions/domain/rate-reply.ts';
import type { Rating } from '../../rating-questions/domain/rating-of-message.ts';
import { saveBot } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { nextTurn } from './next-turn.ts';

/** The messages to answer together, and everything that decides how. */
export interface TurnRead extends TurnView {
  messages: SaidRow[];
  /** A person handles the chat, or did when the messages arrived. */
  isForStaff: boolean;
  /** The only message is a rating of an earlier answer, and nothing to answer. */
  rating: Rating | null;
}

/** Reads the turn that a conversation is to take next. */
export async function readTurn(deps: Deps, conversation: ClaimedConversation): Promise<TurnRead> {
  const { tenantId, botId } = conversation;
  let view = await deps.turnViews.run(conversation);
  if (!view.bot) {
    // A message may arrive before its bot's event. In that case the bot is requested from the tenancy service.
    const { bot: missing } = await ask(deps.bus, findBot, { tenantId, botId });
    if (missing) {
      await withTenant(deps.database, [tenantId], (tx) => saveBot(tx, missing));
      view = await deps.turnViews.run(conversation);
    }
  }
  // A person may have written since the claim. While the bot handles the chat, only the bot writes.
  conversation.nextReplySeq = view.nextReplySeq ?? conversation.nextReplySeq;
  const { bot, queued, cancellation } = view;
  const joinsMessages = platformCapabilities[conversation.platform].joinsMessages;
  const joined = nextTurn(queued, joinsMessages ? (bot?.joinWindowMs ?? 0) : 0);
  const { handbackAt } = cancellation;
  const isOfStaff = ({ isForStaff, createdAt }: SaidRow) =>
    isForStaff || (handbackAt !== null && createdAt < handbackAt);
  const isForStaff = joined.slice(0, 1).some(isOfStaff);
  const ratings = await ratingsIn(deps, conversation, { messages: joined, bot });
  // Messages sent while a person handled the chat are never answered together with later ones, ratings with no others.
  const end = joined.findIndex(
    (message, place) =>
      place > 0 && (isOfStaff(message) !== isForStaff || ratings[place - 1] || ratings[place]),
  );
  const messages = end === -1 ? joined : joined.slice(0, end);
  return { ...view, messages, isForStaff, rating: ratings[0] ?? null };
}
