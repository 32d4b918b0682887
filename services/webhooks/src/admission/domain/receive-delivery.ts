import { AsyncResource } from 'node:async_hooks';
import { messageEdited, messageReceived } from '@botyard/contracts/events/webhooks';
import { badRequest } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { conversationIdOf } from '../../chats/domain/conversation-id.ts';
import { findFormerChatId } from '../../chats/store/chat-moves.ts';
import type { ReadDelivery, ReadEdit, ReadFile, ReadMessage } from '../../platforms/domain/read-delivery.ts';
import type { Endpoint, Inbound, Platform } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import type { Delivery } from '../store/admission.ts';
import type { Received } from './admission.ts';
import { receiveChatEvent } from './receive-chat-event.ts';

type ReceiveDeps = Pick<
  Deps,
  'admission' | 'admissionDatabase' | 'outbox' | 'ambientMessages' | 'platforms' | 'wakeSender' | 'wakeMedia'
>;
type Read = Exclude<ReadDelivery, { malformed: string }>;

/**
 * Admits a verified delivery (REQ-HOOK-3). Resolves after the commit.
 * @throws HttpError 400 if the body isn't JSON, 503 when the database doesn't answer.
 */
export async function receiveDelivery(
  deps: ReceiveDeps,
  { platform, inbound }: { platform: Platform; inbound: Inbound },
  endpoint: Endpoint,
  bytes: Uint8Array,
): Promise<Received> {
  const update = await inbound.read(endpoint, bytes);
  if (!update) throw badRequest('the body is not valid JSON');
  if ('malformed' in update) return { verdict: 'malformed' };
  // The person's client waits for this acknowledgement, so it is sent for every press.
  if ('callback' in update) await inbound.notePress?.(endpoint, update.callback);
  const read = 'callback' in update ? { eventId: update.eventId, ...update.callback } : update;
  if ('ignored' in read) return { verdict: 'ignored', reason: read.ignored };
  if ('membership' in read || 'migration' in read) return await receiveChatEvent(deps, endpoint, read);
  if (!endpoint.isEnabled) return { verdict: 'ignored', reason: 'integration disabled' };
  const { isAddressed = true, chat } = 'edit' in read ? read.edit : read.message;
  if (!isAddressed && !deps.ambientMessages.admits(endpoint.botId, chat.platformChatId)) {
    return { verdict: 'ignored', reason: 'overheard too much' };
  }
  const delivery = await deliveryOf(deps, platform, endpoint, read);
  const verdict = await deps.admission.admit(delivery);
  if (delivery.media && verdict === 'accepted') deps.wakeMedia();
  return { verdict };
}

/** The event of a message or an edit. It belongs to the conversation that its chat had before a migration. */
async function deliveryOf(
  { admissionDatabase, outbox }: ReceiveDeps,
  { name, isRenaming, mayBeRenamed = () => isRenaming !== undefined, fetchFile }: Platform,
  { tenantId, botId, integrationId }: Endpoint,
  read: Extract<Read, { edit: ReadEdit }> | { eventId: string; message: ReadMessage },
): Promise<Delivery> {
  const { chat } = 'edit' in read ? read.edit : read.message;
  const { platformChatId } = chat;
  const former = mayBeRenamed(platformChatId)
    ? await findFormerChatId(admissionDatabase, { tenantId, botId, platformChatId })
    : undefined;
  const { eventId } = read;
  const deliveryId = uuidv7();
  const conversationId = conversationIdOf(botId, former ?? platformChatId, chat);
  const known = {
    tenantId,
    botId,
    integrationId,
    deliveryId,
    conversationId,
    platform: name,
    chat: former ? { ...chat, migratedFrom: former } : chat,
    receivedAt: new Date().toISOString(),
  };
  const delivery = { tenantId, source: name, botId, eventId, deliveryId, conversationId };
  if ('edit' in read) {
    const edit = { ...read.edit, ...known, editNumber: Number(eventId) };
    return { ...delivery, takesPlace: false, draft: inTrace(() => outbox.draft(messageEdited, edit)) };
  }
  const { file, ...message } = read.message;
  const media = file && fetchFile ? mediaOf(message, file) : undefined;
  const attachment = message.attachment && { ...message.attachment, mediaId: media?.mediaId };
  const data = { ...message, ...(attachment ? { attachment } : {}), ...known };
  const draft = inTrace((seq: number) => outbox.draft(messageReceived, { seq, ...data }));
  return { ...delivery, takesPlace: true, draft, media };
}

/** Deliveries are admitted together, and each event keeps the trace of its delivery. */
const inTrace = AsyncResource.bind;

const mediaOf = ({ sender }: Omit<ReadMessage, 'file'>, file: ReadFile) => ({
  ...file,
  mediaId: uuidv7(),
  senderId: sender.platformUserId,
});
