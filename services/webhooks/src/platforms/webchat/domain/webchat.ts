import type { OutboundFile } from '@botyard/contracts/events/attachments';
import { chatHint, chatPreview } from '@botyard/contracts/events/chat-hints';
import type { WebchatSecrets } from '@botyard/contracts/platforms/webchat';
import { listenInEveryInstance } from '@botyard/shared/bus/signals';
import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { StoredFile } from '../../../store/webchat-schema.ts';
import { unavailableFile } from '../../clients/download.ts';
import { backOff, placesAsRecipients } from '../../domain/sending.ts';
import { withChoices } from '../../domain/with-choices.ts';
import type { Platform, Send, SendResult, TypingPlace } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { eraseVisitors } from '../store/erasure.ts';
import { addMessage, addNotice, addPart, type NewPart } from '../store/messages.ts';
import { findVisitor, noteVisit } from '../store/visitors.ts';
import { type Connection, connector } from './connection.ts';
import { formatParts, type WebchatPart } from './format-parts.ts';
import { createMissedMails } from './missed-mails.ts';
import { announce } from './receive-message.ts';

/** As many as staff may send. */
const maxFileBytes = 25 * 1024 * 1024;
/** Pictures that the window draws; others are files. */
const drawn: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const toStoredFile = ({ name, sizeBytes, mediaType, objectKey }: OutboundFile): StoredFile => ({
  kind: drawn.has(mediaType) ? 'photo' : 'document',
  name,
  sizeBytes,
  mediaType,
  objectKey,
});

/** Our own web chat. Its other side is `routes/`, from which windows send and in whose streams they read. */
export const createWebchat = (deps: Deps): Platform<WebchatPart, WebchatSecrets, Connection> => ({
  name: connector.name,
  credentials: connector.credentials,
  slots: 32,
  paces: undefined,
  format: async ({ markdown, choices }) => withChoices(formatParts(markdown), choices),
  send: (send) => {
    const { markdown, choices = null } = send.payload;
    return sendPart(deps, send, { text: markdown, choices, file: null });
  },
  files: {
    maxBytesOf: () => maxFileBytes,
    send: (send) => sendPart(deps, send, { text: '', choices: null, file: toStoredFile(send.payload.file) }),
  },
  retryInMs: backOff,
  listRecipients: placesAsRecipients,
  showHandling: async (tx, { tenantId, conversationId, changeId, handling }) => {
    const notice = { tenantId, conversationId, messageId: changeId, text: handling };
    const visitorId = await addNotice(tx, notice);
    if (visitorId) tx.afterCommit(() => announce(deps, visitorId));
  },
  showTyping: (botId, place) => showTyping(deps, botId, place),
  showStaffTyping: (botId, place) => showTyping(deps, botId, place),
  showWritten: async (tx, { tenantId, platformChatId: visitorId, messageId, text }) => {
    const message = { tenantId, visitorId, messageId, text };
    const isShown = await addMessage(tx, { ...message, author: 'visitor', clientId: null, file: null });
    if (!isShown) return undefined;
    await noteVisit(tx, message);
    tx.afterCommit(() => announce(deps, visitorId));
    return await findVisitor(tx, message);
  },
  people: {
    erase: async (erasure) => (await deps.chatMails()?.erase(erasure)) ?? true,
    // Called last, since a reply that is still queued becomes a message.
    forget: async (erasure) => {
      const { tenantId, add } = erasure;
      add('webchat', await withTenant(deps.database, [tenantId], (tx) => eraseVisitors(tx, erasure)));
      await deps.chatMails()?.forget(erasure);
    },
  },
  follow: (bus) => {
    listenInEveryInstance(bus, chatHint, (hint) => deps.streams.hint(hint));
    listenInEveryInstance(bus, chatPreview, (preview) => deps.streams.preview(preview));
  },
  workers: [deps.streams.createSweep(), createMissedMails(deps)],
  fetchFile: async ({ fileRef }, read) => {
    const content = await deps.objects.get(fileRef);
    return content ? { outcome: 'fetched', result: await read(content) } : unavailableFile;
  },
});

/**
 * A part is sent when its row is committed: windows read it from there, at once or when they are open again. A part
 * that is sent twice is one row.
 */
async function sendPart(
  deps: Deps,
  send: Send,
  content: Pick<NewPart, 'text' | 'choices' | 'file'>,
): Promise<SendResult | undefined> {
  const { tenantId, platformChatId: visitorId, partId } = send;
  if (!(await send.mayCall())) return undefined;
  const part = { tenantId, visitorId, partId, ...content };
  try {
    await failpoint('webhooks.webchat.before-part');
    const isAdded = await withTenant(deps.database, [tenantId], (tx) => addPart(tx, part));
    if (!isAdded) return { outcome: 'refused', reason: 'the visitor no longer exists', isOfPlace: true };
  } catch {
    // It is sent again as often as needed: the row can't come twice.
    return { outcome: 'failed', reason: 'the database does not answer', isUnclear: false };
  }
  announce(deps, visitorId);
  return { outcome: 'sent', platformMessageId: partId };
}

/** Windows show it for a few seconds. */
async function showTyping(deps: Deps, botId: string, { platformChatId }: TypingPlace): Promise<void> {
  // The place may be one of another platform.
  if (await deps.endpoints.find(connector, botId)) announce(deps, platformChatId, 'typing');
}
