import { chatHint } from '@botyard/contracts/events/chat-hints';
import { signal } from '@botyard/shared/bus/signals';
import { withTenant } from '@botyard/shared/db/database';
import { forbidden } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { keepFiles } from '../../../files/domain/keep-files.ts';
import type { SpooledFile } from '../../../files/domain/spool.ts';
import type { ShownFile } from '../../../store/webchat-schema.ts';
import { cleanText, cutText } from '../../../text/domain/clean-text.ts';
import type { ReadFile, ReadMessage } from '../../domain/read-delivery.ts';
import type { Deps } from '../deps.ts';
import { addMessage, emptyMessage, findByClientId } from '../store/messages.ts';
import { noteVisit, type Visitor } from '../store/visitors.ts';
import type { WebchatEndpoint } from './connection.ts';
import { type ShownMessage, toShown } from './shown-message.ts';

/** A visitor's message, as its window sends it. */
export interface SentMessage {
  /** The window's own number: what it sends again is the same message. */
  clientId: string;
  text: string;
  /** A pressed choice is its words, and never a command. */
  isChoice: boolean;
}

export interface SentFile {
  name: string;
  kind: 'photo' | 'voice' | 'document';
  content: SpooledFile;
}

/**
 * Stores a visitor's message for all of their windows, and admits it. Both are done once, however often it is sent, so
 * that a window may repeat it until it has an answer. @throws HttpError 403 disabled, 503.
 */
export async function receiveMessage(
  deps: Deps,
  endpoint: WebchatEndpoint,
  visitor: Visitor,
  { sent, file }: { sent: SentMessage; file?: SentFile | undefined },
): Promise<ShownMessage> {
  if (!endpoint.isEnabled) throw forbidden('this chat is switched off');
  const { tenantId, visitorId } = visitor;
  const kept = file && (await keepFile(deps, tenantId, file));
  const text = cleanText(sent.text);
  const stored = await withTenant(deps.admissionDatabase, [tenantId], async (tx) => {
    await addMessage(tx, {
      tenantId,
      visitorId,
      messageId: uuidv7(),
      author: 'visitor',
      text,
      clientId: sent.clientId,
      file: kept?.shown ?? null,
    });
    await noteVisit(tx, { tenantId, visitorId });
    return await findByClientId(tx, { tenantId, visitorId, clientId: sent.clientId });
  });
  // The visitor was erased between the two.
  if (!stored) throw forbidden('this chat has ended');
  const message = toMessage(visitor, stored, { isChoice: sent.isChoice, file: kept?.read });
  await deps.receive(endpoint, [{ eventId: stored.messageId, message }]);
  announce(deps, visitorId);
  return toShown(stored);
}

/**
 * Removes a visitor's own message, also from all of their windows. It is the same to delete it twice, so that a window
 * may repeat it until it has an answer. @throws HttpError 503.
 */
export async function removeMessage(
  deps: Deps,
  endpoint: WebchatEndpoint,
  { tenantId, visitorId }: Visitor,
  messageId: string,
): Promise<void> {
  const deletion = { platformChatId: visitorId, platformMessageId: messageId };
  await deps.receive(endpoint, [{ eventId: `deletion:${messageId}`, deletion }]);
  const isEmptied = await withTenant(deps.database, [tenantId], (tx) =>
    emptyMessage(tx, { tenantId, visitorId, messageId }),
  );
  if (isEmptied) announce(deps, visitorId);
}

/** Tells every instance that a visitor's windows have something to read. */
export const announce = (
  { bus, streams }: Pick<Deps, 'bus' | 'streams'>,
  platformChatId: string,
  hint: 'changed' | 'typing' | 'read' = 'changed',
): void => {
  streams.hint({ platformChatId, hint });
  signal(bus, chatHint, { platformChatId, hint });
};

function toMessage(
  { visitorId, userId, name, language }: Visitor,
  stored: { messageId: string; text: string; file: ShownFile | null; createdAt: Date },
  { isChoice, file }: { isChoice: boolean; file: ReadFile | undefined },
): ReadMessage {
  const command = isChoice ? undefined : commandOf(stored.text);
  return {
    chat: { platformChatId: visitorId, kind: 'private', title: name },
    sender: {
      platformUserId: visitorId,
      name,
      isProven: userId !== null,
      ...(userId === null ? {} : { username: userId }),
      ...(language === null ? {} : { language }),
    },
    platformMessageId: stored.messageId,
    text: command ? command.argument : stored.text,
    content: stored.text.trim() === '' ? 'unsupported' : 'text',
    ...(command ? { command } : {}),
    ...(stored.file
      ? { attachment: { kind: stored.file.kind, name: stored.file.name, sizeBytes: stored.file.sizeBytes } }
      : {}),
    sentAt: stored.createdAt.toISOString(),
    file,
  };
}

const commandShape = /^\/([a-z0-9_]{1,32})(?:\s+([\s\S]*))?$/i;

function commandOf(text: string): ReadMessage['command'] {
  const [, name, argument = ''] = commandShape.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), argument };
}

const maxUnitsOfName = 200;

/** Stores the bytes, from where the file is read like one of any platform. Without its message it is removed. */
async function keepFile(
  deps: Deps,
  tenantId: string,
  { name, kind, content }: SentFile,
): Promise<{ shown: ShownFile; read: ReadFile } | undefined> {
  const mailId = uuidv7();
  const [stored] = await keepFiles(
    deps,
    { tenantId, mailId },
    {
      files: [{ field: 'file', name: cutText(name, maxUnitsOfName), file: content }],
      inlineFields: new Set(),
    },
  );
  if (!stored) return undefined;
  return {
    shown: { kind, name: stored.name, sizeBytes: stored.sizeBytes },
    read: { fileRef: `${tenantId}/${mailId}/${stored.attachmentId}`, name: stored.name },
  };
}
