import type { ChatPlace, InboundMessage } from '@botyard/shared/events/webhooks';
import { readAddress } from './address.ts';
import { cleanText } from './clean-text.ts';
import { chatTitle, personName } from './names.ts';
import { readQuote } from './read-quote.ts';
import { isServiceMessage, kindOf, opensTopic, PlatformMessage, Update } from './update.ts';

/** The bot that an update came for, as the platform knows it. */
export interface OwnBot {
  platformBotId: string;
  username: string;
}

/** What was said, without what only our side knows. */
export type ReadMessage = Pick<
  InboundMessage,
  'chat' | 'sender' | 'platformMessageId' | 'text' | 'content' | 'command' | 'quote' | 'sentAt'
>;

/** What becomes of an update: a message for the bot, or nothing, for a reason that is counted. */
export type ReadUpdate =
  | { eventId: string; message: ReadMessage }
  | { eventId: string; ignored: string }
  | { malformed: string };

/** The last second that ISO 8601 writes with four digits of a year. */
const latestDate = 253_402_300_799;

/** Decides what an update is to the bot (decisions 6: P0 6). Never throws, whatever it is given. */
export function readUpdate(body: unknown, bot: OwnBot): ReadUpdate {
  const update = Update.safeParse(body);
  if (!update.success) return { malformed: 'no update_id' };
  const eventId = String(update.data.update_id);
  const raw = update.data.message;
  if (raw === undefined) return { eventId, ignored: kindOf(update.data) };
  const parsed = PlatformMessage.safeParse(raw);
  if (!parsed.success) return { eventId, ignored: 'unreadable message' };
  return readMessage(eventId, parsed.data, raw as Record<string, unknown>, bot);
}

function readMessage(
  eventId: string,
  message: PlatformMessage,
  raw: Readonly<Record<string, unknown>>,
  bot: OwnBot,
): ReadUpdate {
  const ignored = reasonToIgnore(message, raw, bot);
  if (ignored) return { eventId, ignored };
  const text = cleanText(message.text ?? message.caption ?? '');
  const entities = message.entities ?? message.caption_entities ?? [];
  const address = readAddress(
    { text, entities, repliesToBot: isReplyTo(message, bot) },
    message.chat.type,
    bot,
  );
  if (!address) return { eventId, ignored: 'not addressed to the bot' };
  const quote = readQuote(message);
  return {
    eventId,
    message: {
      chat: placeOf(message),
      sender: senderOf(message),
      platformMessageId: String(message.message_id),
      text: address.text,
      content: text.trim() === '' ? 'unsupported' : 'text',
      ...(address.command ? { command: address.command } : {}),
      ...(quote ? { quote } : {}),
      sentAt: new Date(Math.min(message.date, latestDate) * 1000).toISOString(),
    },
  };
}

/**
 * Own and other bots' messages, channels' posts, and events of the chat are no questions. An anonymous admin or a
 * person who writes as a channel looks like a bot, but has a `sender_chat`.
 */
function reasonToIgnore(
  message: PlatformMessage,
  raw: Readonly<Record<string, unknown>>,
  bot: OwnBot,
): string | undefined {
  if (message.chat.type === 'channel') return 'channel post';
  if (message.is_automatic_forward) return 'forwarded from the linked channel';
  if (String(message.from?.id) === bot.platformBotId) return 'own message';
  if (message.from?.is_bot && !message.sender_chat) return "another bot's message";
  if (!message.from && !message.sender_chat) return 'no sender';
  if (isServiceMessage(raw)) return 'event of the chat';
  return undefined;
}

function isReplyTo({ reply_to_message: target }: PlatformMessage, bot: OwnBot): boolean {
  return String(target?.from?.id) === bot.platformBotId && !opensTopic(target);
}

/** A thread is a topic only when the message says so: sending any other thread back would fail. */
function placeOf(message: PlatformMessage): ChatPlace {
  const { chat, message_thread_id: thread } = message;
  return {
    platformChatId: String(chat.id),
    kind: chat.type === 'private' ? 'private' : 'group',
    title: chatTitle(chat),
    ...(message.is_topic_message && thread ? { threadId: String(thread) } : {}),
  };
}

function senderOf({ from, sender_chat: chat }: PlatformMessage): InboundMessage['sender'] {
  if (chat) return { platformUserId: String(chat.id), name: chatTitle(chat) };
  return {
    platformUserId: String(from?.id),
    name: personName(from),
    ...(from?.username ? { username: cleanText(from.username).slice(0, 100) } : {}),
  };
}
