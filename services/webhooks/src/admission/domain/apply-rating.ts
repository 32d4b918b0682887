import { replyRated } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { findConversationId } from '../../chats/domain/find-conversation.ts';
import { findSentReply } from '../../delivery/store/replies.ts';
import type { ReadRating } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';

/** Announces how the person of a private chat rated a reply. Reactions to other messages are ignored. */
export async function applyRating(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { endpoint, delivery }: { endpoint: Endpoint; delivery: { rating: ReadRating } },
): Promise<string | undefined> {
  const { tenantId, botId } = endpoint;
  const { platformMessageId, rating, ratedAt } = delivery.rating;
  const conversationId = await findConversationId(tx, endpoint, delivery.rating);
  const { replyId } = await findSentReply(tx, { tenantId, conversationId, platformMessageId });
  if (replyId === null) return 'reaction to another message';
  await outbox.emit(tx, replyRated, { tenantId, botId, conversationId, replyId, rating, ratedAt });
  return undefined;
}
