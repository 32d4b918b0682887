import { AsyncResource } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { messageEdited, messageReceived } from '@botyard/contracts/events/webhooks';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { v7 as uuidv7 } from 'uuid';
import type { ReadDelivery, ReadEdit, ReadMessage } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint, Platform } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import type { Delivery } from '../store/admission.ts';

/** A delivery that the adapter could read. */
export type KnownDelivery = Exclude<ReadDelivery, { malformed: string }>;
type Identified = Pick<KnownDelivery, 'eventId' | 'alsoKnownAs'>;
export type SaidDelivery = Identified & ({ message: ReadMessage } | { edit: ReadEdit });

/** Facts about a message that admission adds to those of the adapter. */
interface Surroundings {
  conversationId: string;
  /** The identifier that the chat had before a migration. */
  formerChatId: string | undefined;
  /** It addresses nobody, in a place where the bot answers everything. */
  isOverheard: boolean;
}

/** The event of a message or an edit, to be admitted. */
export function draftDelivery(
  { outbox }: Pick<Deps, 'outbox'>,
  { name, fetchFile }: Pick<Platform, 'name' | 'fetchFile'>,
  { tenantId, botId, integrationId }: Endpoint,
  said: SaidDelivery,
  { conversationId, formerChatId, isOverheard }: Surroundings,
): Delivery {
  const { eventId, alsoKnownAs } = said;
  const deliveryId = uuidv7();
  const { addressedBy: _addressedBy, ...content } = 'edit' in said ? said.edit : said.message;
  const { chat } = content;
  const data = {
    ...content,
    ...(isOverheard ? { isAddressed: false } : {}),
    tenantId,
    botId,
    integrationId,
    deliveryId,
    conversationId,
    platform: name,
    chat: formerChatId ? { ...chat, migratedFrom: formerChatId } : chat,
    receivedAt: new Date().toISOString(),
  };
  const delivery = { tenantId, source: name, botId, eventId, alsoKnownAs, deliveryId, conversationId };
  if ('edit' in said) {
    const edit = { ...data, editedAt: said.edit.editedAt, editNumber: Number(eventId) };
    return { ...delivery, takesPlace: false, draft: inTrace(() => outbox.draft(messageEdited, edit)) };
  }
  const { file, ...message } = { ...data, file: said.message.file };
  const { platformMessageId, sender } = said.message;
  const senderId = sender.platformUserId;
  const media = file && fetchFile && { ...file, mediaId: uuidv7(), platformMessageId, senderId };
  const attachment = said.message.attachment && { ...said.message.attachment, mediaId: media?.mediaId };
  const event = attachment ? { ...message, attachment } : message;
  // First, because `kept-messages.ts` finds messages by how their text begins.
  const draft = inTrace((seq: number) => outbox.draft(messageReceived, { seq, ...event }));
  const identifiers = platformDefinitions[name].capabilities.deletions
    ? [...(alsoKnownAs ?? []), identifierOf(chat.platformChatId, platformMessageId)]
    : alsoKnownAs;
  return { ...delivery, alsoKnownAs: identifiers, takesPlace: true, draft, media };
}

/**
 * Identifies a message by its place. A deletion records it too: a message that comes after it is a duplicate. It is a
 * hash, because it is kept after an erasure, and a place may have the identifier of its person.
 */
export const identifierOf = (platformChatId: string, platformMessageId: string): string =>
  `message:${createHash('sha256').update(`${platformChatId}\n${platformMessageId}`).digest('base64url')}`;

/** Deliveries are admitted together, and each event keeps the trace of its delivery. */
const inTrace = AsyncResource.bind;
