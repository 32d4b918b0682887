import { messageDeleted, messageEdited, messageReceived } from '@botyard/contracts/events/webhooks';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { findConversationId } from '../../chats/domain/find-conversation.ts';
import { dropMediaOfMessages } from '../../media/store/media.ts';
import type { ReadDeletion } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { hasConversation, insertDelivery, insertIdentifiers } from '../store/admission.ts';
import { emptyKeptMessages } from '../store/kept-messages.ts';
import { identifierOf } from './draft-delivery.ts';

/**
 * Applies a person's deletion of a message, even for a disabled integration. From now on the message is a duplicate if
 * it arrives, and its files are removed. If nothing of its conversation was admitted there is nobody to tell.
 */
export async function applyDeletion(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  endpoint: Endpoint,
  { eventId, deletion }: { eventId: string; deletion: ReadDeletion },
): Promise<{ verdict: 'accepted' | 'duplicate' }> {
  const { tenantId, botId, integrationId, platform } = endpoint;
  const { platformChatId, deletedAt = new Date().toISOString() } = deletion;
  const platformMessageIds = messageIdsOf(deletion);
  const delivery = { tenantId, source: platform, botId, eventId, deliveryId: uuidv7() };
  if (!(await insertDelivery(tx, delivery))) return { verdict: 'duplicate' };
  const identifiers = platformMessageIds.map((id) => identifierOf(platformChatId, id));
  await insertIdentifiers(tx, delivery, identifiers);
  const conversationId = await findConversationId(tx, endpoint, deletion);
  if (!(await hasConversation(tx, { tenantId, conversationId }))) return { verdict: 'accepted' };
  await dropMediaOfMessages(tx, { tenantId, conversationId, platformMessageIds });
  await outbox.emit(tx, messageDeleted, {
    tenantId,
    botId,
    integrationId,
    conversationId,
    platform,
    platformChatId,
    platformMessageIds,
    deletedAt,
  });
  return { verdict: 'accepted' };
}

/**
 * Empties the events of a deleted message that are kept in case the bus loses its store, sent or not. Runs after the
 * commit of the deletion, and again for a repeated one.
 */
export async function emptyDeleted(
  { admissionDatabase, bus }: Pick<Deps, 'admissionDatabase' | 'bus'>,
  endpoint: Endpoint,
  deletion: ReadDeletion,
): Promise<void> {
  const { tenantId } = endpoint;
  const conversationId = await withTenant(admissionDatabase, [tenantId], (tx) =>
    findConversationId(tx, endpoint, deletion),
  );
  const of = { tenantId, conversationId };
  const subjects = [messageReceived, messageEdited].map((event) => bus.names.event(event, of));
  await withPlatform(admissionDatabase, 'events of a deleted message', (tx) =>
    emptyKeptMessages(tx, subjects, messageIdsOf(deletion)),
  );
}

const messageIdsOf = ({ platformMessageId, otherMessageIds = [] }: ReadDeletion): string[] => [
  platformMessageId,
  ...otherMessageIds,
];
