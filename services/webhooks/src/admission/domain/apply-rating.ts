import { replyRated } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { findConversationId } from '../../chats/domain/find-conversation.ts';
import { findSentReply } from '../../delivery/store/replies.ts';
import type { ReadRating } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { insertDelivery } from '../store/admission.ts';
import type { Received } from './admission.ts';

/** Announces how the person of a private chat rated a reply. Reactions to other messages are ignored. */
export async function applyRating(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  endpoint: Endpoint,
  { eventId, rating: read }: { eventId: string; rating: ReadRating },
): Promise<Received> {
  const { tenantId, botId, platform } = endpoint;
  const { platformMessageId, rating, ratedAt } = read;
  const conversationId = await findConversationId(tx, endpoint, read);
  const { replyId } = await findSentReply(tx, { tenantId, conversationId, platformMessageId });
  if (replyId === null) return { verdict: 'ignored', reason: 'reaction to another message' };
  const delivery = { tenantId, source: platform, botId, eventId, deliveryId: uuidv7() };
  if (!(await insertDelivery(tx, delivery))) return { verdict: 'duplicate' };
  await outbox.emit(tx, replyRated, { tenantId, botId, conversationId, replyId, rating, ratedAt });
  return { verdict: 'accepted' };
}
