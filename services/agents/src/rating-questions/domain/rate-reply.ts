import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { saveRating } from '../../outcomes/domain/save-rating.ts';
import type { BotRow } from '../../store/bots.ts';
import type { Deps } from '../deps.ts';
import { getQuestion, markRating } from '../store/questions.ts';
import { mayRate, type Rating, ratingOf } from './rating-of-message.ts';

/** The ratings among messages of a conversation, by their places. A chat that was never asked costs nothing. */
export async function ratingsIn(
  { database }: Pick<Deps, 'database'>,
  { tenantId, ratingQuestionId, nextReplySeq }: ClaimedConversation,
  { messages, bot }: { messages: readonly SaidRow[]; bot: BotRow | undefined },
): Promise<readonly (Rating | null)[]> {
  if (ratingQuestionId === null || !messages.some(mayRate)) return messages.map(() => null);
  const question = await withTenant(database, [tenantId], (tx) =>
    getQuestion(tx, tenantId, ratingQuestionId),
  );
  const lastQuestion = { question, isLast: question?.seq === nextReplySeq - 1, bot };
  return messages.map((message) => (mayRate(message) ? ratingOf(message.text, lastQuestion) : null));
}

/** Saves a person's message as a rating of a reply, like a thumb under it. A repetition changes nothing. */
export async function rateReply(
  tx: TenantTx,
  { tenantId, botId, conversationId }: Pick<ClaimedConversation, 'tenantId' | 'botId' | 'conversationId'>,
  { messageId, receivedAt }: SaidRow,
  { replyId, rating }: Rating,
): Promise<void> {
  if (replyId === null) return;
  const ratedAt = receivedAt.toISOString();
  await saveRating(tx, { tenantId, botId, conversationId, replyId, rating, ratedAt });
  await markRating(tx, { tenantId, messageId, replyId });
}
