import type { Media } from '@botyard/contracts/events/attachments';
import type { MessageAuthor } from '@botyard/contracts/http/interactions-takeover';
import type { z } from 'zod';
import type { StoredAttachment } from '../../store/stored-attachment.ts';
import type { ChatRow, LastMessage } from '../store/chats.ts';
import type { MessageInChat } from '../store/interactions.ts';
import type { MessageRow } from '../store/messages.ts';
import { isNotice } from '../store/notice-positions.ts';

/** Rows in the form for clients. */
export const toDeadLetter = ({ message, conversation }: MessageInChat) => ({
  messageId: message.messageId,
  chatId: conversation.chatId,
  botId: conversation.botId,
  text: message.text,
  reason: reasonOf(message),
  ...(message.tries === null ? {} : { tries: message.tries }),
  ...(message.deadAt === null ? {} : { deadAt: message.deadAt.toISOString() }),
  createdAt: message.createdAt.toISOString(),
});

/** Internal errors contain internal names and statements, which belong in the log only. */
function reasonOf({ lastError }: MessageRow): string {
  const [, reason] = /^HttpError: (.+)/.exec(lastError ?? '') ?? [];
  if (lastError && /^(given up after|lost on its way)/.test(lastError)) return lastError;
  return reason ?? 'an internal error: look for this messageId in the log';
}

/** `names` holds the names of the tenant's users. */
export const toChat = (row: ChatRow, names: Names = new Map()) => ({
  chatId: row.chatId,
  botId: row.botId,
  botName: row.botName,
  platform: row.platform,
  title: row.place.title,
  kind: row.place.kind,
  ...(row.place.threadId === undefined ? {} : { threadId: row.place.threadId }),
  state: row.state,
  ...(row.state === 'snoozed' && row.snoozedUntil ? { snoozedUntil: row.snoozedUntil.toISOString() } : {}),
  labels: row.labels,
  ...(row.isUnread === null ? {} : { isUnread: row.isUnread }),
  isBlocked: row.isBlocked,
  ...(row.isBlocked && row.blockedReason ? { blockedReason: row.blockedReason } : {}),
  ...handlingOf(row, names),
  people: row.people,
  lastMessage: row.lastMessage && toLastMessage(row.lastMessage, names),
  ...(row.outcomes === null ? {} : { outcomes: row.outcomes }),
  createdAt: row.createdAt.toISOString(),
  lastMessageAt: row.lastMessageAt.toISOString(),
});

function handlingOf(row: ChatRow, names: Names) {
  const { isWithPerson, assigneeUserId, handbackAt, handoverReason } = row;
  if (!isWithPerson) return { handling: 'bot' as const, assigneeUserId: null };
  const assigneeName = assigneeUserId === null ? undefined : names.get(assigneeUserId);
  return {
    handling: 'person' as const,
    assigneeUserId,
    ...(assigneeName === undefined ? {} : { assigneeName }),
    ...(handbackAt === null ? {} : { handbackAt: handbackAt.toISOString() }),
    ...(handoverReason === null ? {} : { handoverReason }),
  };
}

const toLastMessage = ({ messageId, text, createdAt, ...written }: LastMessage, names: Names) => ({
  messageId,
  author: authorOf(written, names),
  text,
  createdAt: new Date(createdAt).toISOString(),
});

/** `staffUserId` and `agentName` are set where messages are listed. */
type ListedMessage = MessageRow & { staffUserId?: string | null; agentName?: string | null };
type Names = ReadonlyMap<string, string>;
type Files = ReadonlyMap<string, Media>;

/** The fields of a message that determine its author. */
interface Written {
  direction: 'in' | 'out';
  seq: number;
  senderName: string | null;
  isOfStaff: boolean;
  staffUserId?: string | null | undefined;
  agentName?: string | null | undefined;
}

const writtenOf = (row: ListedMessage): Written => ({
  ...row,
  senderName: row.sender?.name ?? null,
  isOfStaff: row.staffId !== null,
});

/** `names` holds the names of the tenant's users, `files` the states of the messages' files. */
export const toMessage = (
  row: ListedMessage,
  chatId: string,
  { names = new Map(), files = new Map() }: { names?: Names; files?: Files } = {},
) => ({
  messageId: row.messageId,
  chatId,
  direction: row.direction,
  author: authorOf(writtenOf(row), names),
  text: row.text,
  ...(row.choices === null ? {} : { choices: row.choices }),
  agentId: row.agentId,
  ...(row.agentVersion === null ? {} : { agentVersion: row.agentVersion }),
  status: row.status,
  ...(isGivenUp(row) && row.lastError !== null ? { failure: row.lastError } : {}),
  ...(row.delivery?.isUncertain ? { isUncertain: true } : {}),
  ...(row.receipt === null ? {} : { receipt: row.receipt }),
  ...(row.rating === null ? {} : { rating: row.rating }),
  ...(row.ratedReplyId === null ? {} : { ratedMessageId: row.ratedReplyId }),
  ...(row.refusal === null ? {} : { refusal: row.refusal }),
  ...(row.automaticReason === null ? {} : { isAutomatic: true as const, reason: row.automaticReason }),
  ...(row.attachment === null ? {} : { attachment: toAttachment(row.attachment, files) }),
  ...(row.mail === null ? {} : { mail: toMail(row.mail) }),
  ...(row.editedAt === null ? {} : { editedAt: row.editedAt.toISOString() }),
  ...(row.deletedAt === null ? {} : { deletedAt: row.deletedAt.toISOString() }),
  createdAt: row.createdAt.toISOString(),
});

function toAttachment({ kind, name, mimeType, sizeBytes, mediaId }: StoredAttachment, files: Files) {
  const storedFile = mediaId === undefined ? undefined : files.get(mediaId);
  const sent = { kind, name, mimeType, sizeBytes };
  if (!storedFile) return sent;
  const { mediaId: _number, objectKey: _where, text: _text, ...file } = storedFile;
  return { ...sent, file };
}

function authorOf(written: Written, names: Names): z.input<typeof MessageAuthor> {
  const { direction, senderName, agentName, staffUserId: userId } = written;
  if (direction === 'in' && !isNotice(written))
    return { kind: 'person', ...(senderName ? { name: senderName } : {}) };
  if (!written.isOfStaff) return { kind: 'bot', ...(agentName ? { name: agentName } : {}) };
  const name = userId ? names.get(userId) : undefined;
  return { kind: 'staff', ...(userId ? { userId } : {}), ...(name === undefined ? {} : { name }) };
}

/** The error of a person's message is internal, so it is only in the log. */
const isGivenUp = ({ direction, status }: MessageRow): boolean =>
  direction === 'out' && (status === 'failed' || status === 'uncertain');

const toMail = ({ subject, documents }: NonNullable<MessageRow['mail']>) => ({
  subject,
  documents: documents.map(({ name, mediaType, sizeBytes, text }) => ({
    name,
    mediaType,
    sizeBytes,
    isRead: text !== undefined,
  })),
});
