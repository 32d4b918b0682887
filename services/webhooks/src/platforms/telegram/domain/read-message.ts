import type { ChatPlace, InboundMessage } from '@botyard/contracts/events/webhooks';
import { cutText } from '../../../text/domain/clean-text.ts';
import { latestSecond, record, textOf } from '../../domain/fields.ts';
import type { ReadEdit, ReadMessage } from '../../domain/read-delivery.ts';
import { readAddress } from './address.ts';
import type { OwnBot } from './connection.ts';
import { isServiceMessage } from './kinds.ts';
import { chatTitle, personName } from './names.ts';
import { readAttachment, readFile } from './read-attachment.ts';
import { readQuote } from './read-quote.ts';
import { opensTopic, PlatformMessage } from './update.ts';
import { textOfMessage, wordsOfMessage } from './words/words-of-message.ts';

type Raw = Readonly<Record<string, unknown>>;
type Ignored = { ignored: string };

const maxUnitsOfAlbumId = 100;
/** The platform allows 4,096. */
const maxUnitsOfText = 16_384;
const maxUnitsOfUsername = 100;

/** A message for the bot, or the reason why it isn't one (REQ-CHAT-6). */
export function readMessage(raw: Raw, bot: OwnBot): { message: ReadMessage } | Ignored {
  const parsed = PlatformMessage.safeParse(raw);
  if (!parsed.success) return { ignored: 'unreadable message' };
  const message = parsed.data;
  const ignored = reasonToIgnore(message, raw, bot);
  if (ignored) return { ignored };
  const said = textOfMessage(raw);
  const formatted = { ...said, text: said.text.slice(0, maxUnitsOfText + 1) };
  const { text, entities } = formatted;
  const chat = placeOf(message);
  const toBot = { text, entities, repliesToBot: isReplyTo(message, bot) };
  // A message that only the bot sees is for the bot.
  const address = readAddress(toBot, chat.receiverId === undefined ? message.chat.type : 'private', bot);
  if (!address) return { ignored: 'not addressed to the bot' };
  const { by: addressedBy, start, commandName } = address;
  const { references, body } = wordsOfMessage(raw, formatted, {
    start,
    opensTopic: opensTopic(message.reply_to_message),
  });
  const isSaid = body !== '' || commandName !== undefined;
  // A command without an argument stays one.
  const words = cutText(
    (commandName !== undefined && body === '' ? [] : [...references, body]).join('\n').trimEnd(),
    maxUnitsOfText,
  );
  const quote = readQuote(message, raw);
  const attachment = readAttachment(raw);
  const file = attachment && readFile(raw, attachment);
  return {
    message: {
      chat,
      sender: senderOf(message),
      platformMessageId: messageIdOf(message),
      text: words,
      content: isSaid ? 'text' : 'unsupported',
      ...(commandName === undefined ? {} : { command: { name: commandName, argument: words } }),
      ...(addressedBy ? { addressedBy } : {}),
      ...(quote ? { quote } : {}),
      ...(attachment ? { attachment } : {}),
      ...(file ? { file } : {}),
      ...(message.media_group_id ? { albumId: cutText(message.media_group_id, maxUnitsOfAlbumId) } : {}),
      sentAt: momentOf(message.date),
    },
  };
}

/**
 * Reads an edited message that is still for the bot. If an edit removes the bot's name from a group message, it no
 * longer is. A live location is edited every few seconds, so it is ignored.
 */
export function readEdit(raw: Raw, bot: OwnBot): { edit: ReadEdit } | Ignored {
  const read = readMessage(raw, bot);
  if ('ignored' in read) return read;
  if (record(raw.location) && !record(raw.venue)) return { ignored: 'a place that is shared live' };
  const { quote: _quote, albumId: _albumId, file: _file, ...message } = read.message;
  const { edit_date: editDate, date } = PlatformMessage.parse(raw);
  return { edit: { ...message, editedAt: momentOf(editDate ?? date) } };
}

const momentOf = (seconds: number): string => new Date(Math.min(seconds, latestSecond) * 1000).toISOString();

/**
 * The reason to ignore a message: messages of this or another bot, channels' posts, and events of the chat aren't
 * questions. An anonymous admin or a person who writes as a channel looks like a bot, but has a `sender_chat`.
 */
function reasonToIgnore(message: PlatformMessage, raw: Raw, bot: OwnBot): string | undefined {
  if (message.chat.type === 'channel') return 'channel post';
  if (message.chat.is_direct_messages) return "a channel's direct messages";
  if (message.business_connection_id) return 'business message';
  if (message.guest_query_id) return 'guest message';
  if (message.is_automatic_forward) return 'forwarded from the linked channel';
  if (String(message.from?.id) === bot.platformBotId) return 'own message';
  if (String(message.via_bot?.id) === bot.platformBotId) return 'written by the bot itself';
  if (message.from?.is_bot && !message.sender_chat) return "another bot's message";
  if (!message.from && !message.sender_chat) return 'no sender';
  if (isServiceMessage(raw, { isPrivate: message.chat.type === 'private' })) return 'event of the chat';
  const { receiver_user: receiver } = message;
  if (receiver && String(receiver.id) !== bot.platformBotId) return 'unseen message for another bot';
  return undefined;
}

function isReplyTo({ reply_to_message: target }: PlatformMessage, bot: OwnBot): boolean {
  return String(target?.from?.id) === bot.platformBotId && !opensTopic(target);
}

/** Messages that others don't see have no identifier of their own among those of the chat. */
const messageIdOf = ({ message_id: id, ephemeral_message_id: ephemeralId }: PlatformMessage): string =>
  typeof ephemeralId === 'number' ? `ephemeral:${ephemeralId}` : String(id);

/**
 * A thread is a topic only if the message says so: sending with any other thread would fail. A message in a group that
 * only the bot sees belongs to a conversation with its sender alone.
 */
export function placeOf(
  message: Pick<PlatformMessage, 'chat' | 'message_thread_id' | 'is_topic_message'> &
    Partial<Pick<PlatformMessage, 'from' | 'ephemeral_message_id' | 'reply_to_message'>>,
): ChatPlace {
  const { chat, from, message_thread_id: thread, ephemeral_message_id: ephemeralId } = message;
  const isPrivate = chat.type === 'private';
  const isTopic = message.is_topic_message && thread;
  const threadTitle = isTopic ? topicTitle(message.reply_to_message) : '';
  const isUnseen = !isPrivate && typeof ephemeralId === 'number' && from;
  return {
    platformChatId: String(chat.id),
    kind: isPrivate ? 'private' : 'group',
    title: chatTitle(chat),
    ...(isTopic ? { threadId: String(thread) } : {}),
    ...(threadTitle === '' ? {} : { threadTitle }),
    ...(isUnseen ? { receiverId: String(from.id), receivedId: String(ephemeralId) } : {}),
  };
}

/** A plain message in a topic replies to the message that opened it, which has the topic's name. */
const topicTitle = (target: PlatformMessage['reply_to_message']): string =>
  chatTitle({ title: textOf(record(target?.forum_topic_created)?.name) });

export function senderOf({
  from,
  sender_chat: chat,
}: Pick<PlatformMessage, 'from' | 'sender_chat'>): InboundMessage['sender'] {
  if (chat) return { platformUserId: String(chat.id), name: chatTitle(chat) };
  return {
    platformUserId: String(from?.id),
    name: personName(from),
    ...(from?.username ? { username: cutText(from.username, maxUnitsOfUsername) } : {}),
    ...(from?.language_code ? { language: from.language_code } : {}),
  };
}
