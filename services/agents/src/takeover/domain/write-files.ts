import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { OutboundFile } from '@botyard/contracts/events/attachments';
import { dropMedia, headBytesOfFile, reserveFile } from '@botyard/contracts/events/webhook-requests';
import { StaffFormFields } from '@botyard/contracts/http/interactions-takeover';
import type { Form, FormFile } from '@botyard/contracts/http/upload';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import { invalid, unprocessable } from '@botyard/shared/http/errors';
import { readInput } from '@botyard/shared/http/read-input';
import type { StoredAttachment } from '../../store/stored-attachment.ts';
import type { Deps } from '../deps.ts';
import { insertStaffMessage, type LockedChat } from '../store/handling.ts';
import { saveStaff } from '../store/staff.ts';
import { announceOpened, requireHandledChat, sendOut } from './write-message.ts';

type FilesDeps = Pick<Deps, 'database' | 'bus' | 'outbox' | 'log'> & { objects: ObjectStore };

/**
 * Sends files to a chat as a user of the tenant: one message for each, the first one with the text. Either all of them
 * are sent or none, and then none stays stored. Returns the messages' identifiers.
 * @throws HttpError 400, 413; 404; 409 while the bot handles the chat; 422 for a file that the platform doesn't take;
 * 503.
 */
export async function writeStaffFiles(
  deps: FilesDeps,
  { tenantId, chatId, userId }: { tenantId: string; chatId: string; userId: string },
  form: Form,
): Promise<string[]> {
  // Before anything of the form is read.
  const chat = await withTenant(deps.database, [tenantId], (tx) => requireHandledChat(tx, tenantId, chatId));
  const files: OutboundFile[] = [];
  try {
    const fields = await form.read(async (file) => {
      const reserved = await reserve(deps, chat, file, files.length);
      files.push(reserved);
      const { objectKey, sizeBytes } = reserved;
      const sha256 = sha256Of(file.bytes);
      await deps.objects.put(objectKey, Readable.from(piecesOf(file.bytes)), { sizeBytes, sha256 });
    });
    const { text } = readInput(StaffFormFields, fields);
    if (files.length === 0) throw invalid([{ path: ['files'], message: 'a file is required' }]);
    return await writeMessages(deps, { tenantId, chatId, userId }, { text, files });
  } catch (error) {
    await drop(deps, tenantId, files);
    throw error;
  }
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const pieceBytes = 256 * 1024;

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const maxUnitsOfName = 1000;

async function reserve(
  { bus }: FilesDeps,
  { tenantId, botId, conversationId, platform }: LockedChat,
  { name, bytes }: FormFile,
  index: number,
): Promise<OutboundFile> {
  const path = ['files', index];
  if (bytes.length === 0) throw invalid([{ path, message: 'must not be empty' }]);
  const answer = await ask(bus, reserveFile, {
    tenantId,
    botId,
    conversationId,
    platform,
    // The end has the extension.
    name: name.slice(-maxUnitsOfName).toWellFormed(),
    head: Buffer.from(bytes.subarray(0, headBytesOfFile)).toString('base64'),
    sizeBytes: bytes.length,
    sha256: sha256Of(bytes),
  });
  if (answer.outcome === 'reserved') return answer.file;
  throw unprocessable(answer.reason, { issues: [{ path: path.join('.'), message: answer.reason }] });
}

async function writeMessages(
  deps: FilesDeps,
  { tenantId, chatId, userId }: { tenantId: string; chatId: string; userId: string },
  { text, files }: { text: string; files: readonly OutboundFile[] },
): Promise<string[]> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const chat = await requireHandledChat(tx, tenantId, chatId);
    const staffId = await saveStaff(tx, tenantId, userId);
    const messageIds: string[] = [];
    for (const [index, file] of files.entries()) {
      const message = { staffId, text: index === 0 ? text : '', attachment: toAttachment(file) };
      const written = await insertStaffMessage(tx, chat, message);
      await sendOut(deps, tx, chat, { ...written, text: message.text, file, author: 'staff' });
      messageIds.push(written.messageId);
    }
    await announceOpened(deps, tx, chat, staffId);
    return messageIds;
  });
}

const toAttachment = ({ mediaId, name, mediaType, sizeBytes }: OutboundFile): StoredAttachment => ({
  kind: mediaType.startsWith('image/') ? 'photo' : 'document',
  name,
  mimeType: mediaType,
  sizeBytes,
  mediaId,
});

/** If the webhooks service doesn't answer now, it removes files without a message by itself. */
async function drop(
  { bus, log }: FilesDeps,
  tenantId: string,
  files: readonly OutboundFile[],
): Promise<void> {
  if (files.length === 0) return;
  const mediaIds = files.map(({ mediaId }) => mediaId);
  await ask(bus, dropMedia, { tenantId, mediaIds }).catch((error: unknown) =>
    log.warn({ err: error, tenantId }, 'files without a message will be removed later'),
  );
}
