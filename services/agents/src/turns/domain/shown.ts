import type { ChatRow, MessageRow } from '../../conversations/store/messages.ts';
import type { MessageInChat } from '../store/dead-letters.ts';

/** Rows as clients see them. */
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

/** What broke inside has names and statements of ours in it: those are for the log. */
function reasonOf({ lastError }: MessageRow): string {
  const [, told] = /^HttpError: (.+)/.exec(lastError ?? '') ?? [];
  if (lastError && /^(given up after|lost on its way)/.test(lastError)) return lastError;
  return told ?? 'a fault inside; the log has it under this messageId';
}

export const toChat = (row: ChatRow) => ({
  chatId: row.chatId,
  botId: row.botId,
  platform: row.platform,
  title: row.place.title,
  kind: row.place.kind,
  ...(row.place.threadId === undefined ? {} : { threadId: row.place.threadId }),
  state: row.state ?? ('active' as const),
  ...(row.state === 'blocked' && row.blockedReason ? { blockedReason: row.blockedReason } : {}),
  createdAt: row.createdAt.toISOString(),
  lastMessageAt: row.lastMessageAt.toISOString(),
});

export const toMessage = (row: MessageRow, chatId: string) => ({
  messageId: row.messageId,
  chatId,
  direction: row.direction,
  text: row.text,
  agentId: row.agentId,
  status: row.status,
  ...(isGivenUp(row) && row.lastError !== null ? { failure: row.lastError } : {}),
  ...(row.delivery?.isUncertain ? { isUncertain: true } : {}),
  ...(row.refusal === null ? {} : { refusal: row.refusal }),
  ...(row.attachment === null ? {} : { attachment: row.attachment }),
  ...(row.mail === null ? {} : { mail: toMail(row.mail) }),
  ...(row.editedAt === null ? {} : { editedAt: row.editedAt.toISOString() }),
  createdAt: row.createdAt.toISOString(),
});

/** Of a person's message the error is one of ours: it is for the log. */
const isGivenUp = ({ direction, status }: MessageRow): boolean =>
  direction === 'out' && (status === 'failed' || status === 'uncertain');

const toMail = ({ subject, documents }: NonNullable<MessageRow['mail']>) => ({
  subject,
  documents: documents.map(({ text, ...document }) => ({ ...document, isRead: text !== undefined })),
});
