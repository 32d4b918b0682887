import { messageDeleted, messageEdited, messageReceived } from '@botyard/contracts/events/webhooks';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { findConversationId } from '../../chats/domain/find-conversation.ts';
import { dropMediaOfMessages } from '../../media/store/media.ts';
import type { ReadDeletion } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { hasConversation, insertIdentifiers } from '../store/admission.ts';
import { emptyKeptMessages } from '../store/kept-messages.ts';
import { identifierOf } from './draft-delivery.ts';

interface Report {
  endpoint: Endpoint;
  delivery: { deletion: ReadDeletion };
}

/**
 * Applies a person's deletion of a message. From now on the message is a duplicate if it arrives, and its files are
 * removed. If nothing of its conversation was admitted there is nobody to tell.
 */
export async function applyDeletion(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { endpoint, delivery: { deletion }, deliveryId }: Report & { deliveryId: string },
): Promise<void> {
  const { tenantId, botId, integrationId, platform } = endpoint;
  const { platformChatId, deletedAt = new Date().toISOString() } = deletion;
  const platformMessageIds = messageIdsOf(deletion);
  const identifiers = platformMessageIds.map((id) => identifierOf(platformChatId, id));
  await insertIdentifiers(tx, { tenantId, source: platform, botId, deliveryId }, identifiers);
  const conversationId = await findConversationId(tx, endpoint, deletion);
  if (!(await hasConversation(tx, { tenantId, conversationId }))) return;
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
}

/**
 * Empties the events of a deleted message that are kept in case the bus loses its store, sent or not. Runs after the
 * commit of the deletion, and again for a repeated one.
 */
export async function emptyDeleted(
  { admissionDatabase, bus }: Pick<Deps, 'admissionDatabase' | 'bus'>,
  { endpoint, delivery: { deletion } }: Report,
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
