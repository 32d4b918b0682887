import { replyRated } from '@botyard/contracts/events/webhooks';
import { chatKeyOf, platformDefinitions } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { unavailable } from '@botyard/shared/http/errors';
import { conversationIdOf } from '../../chats/domain/conversation-id.ts';
import { findFormerChatId } from '../../chats/store/chat-moves.ts';
import type { ReadRating } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { findReplyInThreads, findSentReply, isSendingTo } from '../store/sent-replies.ts';

/**
 * Announces how a person rated a reply. Ratings of other messages are ignored. A person may be faster than the end of
 * the send is stored: then the platform has to report it again. @throws HttpError 503.
 */
export async function applyRating(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { endpoint, delivery }: { endpoint: Endpoint; delivery: { rating: ReadRating } },
): Promise<string | undefined> {
  const { tenantId, botId } = endpoint;
  const { rating, reaction, platformUserId, ratedAt } = delivery.rating;
  const reply = await findRatedReply(tx, endpoint, delivery.rating);
  if (!reply) return 'reaction to another message';
  await outbox.emit(tx, replyRated, {
    tenantId,
    botId,
    ...reply,
    rating,
    reaction,
    platformUserId,
    ratedAt,
  });
  return undefined;
}

/** Platforms don't name the thread of a rated message, so it is looked for in all of them. */
async function findRatedReply(
  tx: TenantTx,
  endpoint: Endpoint,
  { platformChatId, platformMessageId }: ReadRating,
): Promise<{ replyId: string; conversationId: string } | undefined> {
  const { tenantId, botId, platform } = endpoint;
  const formerChatId = (await findFormerChatId(tx, { ...endpoint, platformChatId })) ?? platformChatId;
  const conversationId = conversationIdOf(endpoint, formerChatId);
  const chatKeys = [platformChatId, formerChatId].map((chatId) => chatKeyOf(platform, chatId));
  const place = { tenantId, botId, chatKeys };
  // Read first: a send that ends between the statements is found by the later ones.
  const isSending = await isSendingTo(tx, place);
  const { replyId } = await findSentReply(tx, { tenantId, conversationId, platformMessageId });
  if (replyId !== null) return { replyId, conversationId };
  const inThread =
    platformDefinitions[platform].capabilities.threads &&
    (await findReplyInThreads(tx, { ...place, platformMessageId }));
  if (inThread) return inThread;
  if (isSending) throw unavailable('the message is being sent');
  return undefined;
}
