/** Chats and their messages: their people, a person's message as an update, and its recipients. */
import { type FileShelf, mediaFields, type SentFile } from './media.ts';
import type { Bot, Chat, Entity, Entry, MediaKind, PlatformChat, PlatformUser, Update } from './types.ts';

/** History kept per chat. */
export const maxEntries = 300;

export type Saying = {
  chatId: number;
  /** The text of a message; the caption, if `media` is given. */
  text: string;
  media?: MediaKind;
  /** The file of the media; defaults to a sample. */
  file?: SentFile;
  /** Messages with the same one are an album. */
  albumId?: string;
  /** Defaults to the person of the private chat; in a group, to Anna. */
  from?: Partial<PlatformUser>;
  chat?: Partial<PlatformChat>;
  threadId?: number;
  replyToMessageId?: number;
  /** The part of the replied-to message that is marked. */
  quote?: string;
};

const defaultPersonId = 5_512_345_678;

function chatTypeOf(chatId: number | string): PlatformChat['type'] {
  const id = Number(chatId);
  if (Number.isNaN(id)) return 'channel';
  if (id > 0) return 'private';
  return id <= -1_000_000_000_000 ? 'supergroup' : 'group';
}

export function chatOf(bot: Bot, chatId: number | string, about: Partial<PlatformChat> = {}): Chat {
  const key = String(chatId);
  let chat = bot.chats.get(key);
  if (chat === undefined) {
    const id = Number.isNaN(Number(chatId)) ? chatId : Number(chatId);
    chat = { about: { id, type: chatTypeOf(chatId) }, entries: [], typingUntil: 0 };
    bot.chats.set(key, chat);
  }
  Object.assign(chat.about, about);
  return chat;
}

function personOf(saying: Saying): PlatformUser {
  const isPrivate = chatTypeOf(saying.chatId) === 'private';
  const id = isPrivate ? saying.chatId : defaultPersonId;
  return { id, is_bot: false, first_name: 'Anna', language_code: 'en', ...saying.from };
}

/** Mentions, commands and links, as the platform marks them. */
function entitiesOf(text: string): Entity[] {
  const entities: Entity[] = [];
  const add = (type: string, pattern: RegExp) => {
    for (const match of text.matchAll(pattern)) {
      entities.push({ type, offset: match.index, length: match[0].length });
    }
  };
  add('bot_command', /(?<![\w/])\/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]{3,32})?(?![\w/])/g);
  add('mention', /(?<![\w@/])@[A-Za-z][A-Za-z0-9_]{3,31}/g);
  add('url', /https?:\/\/[^\s]+/g);
  return entities.sort((a, b) => a.offset - b.offset);
}

/** A `message` update without its `update_id`; `messageId` is the new message's. */
export function messageUpdate(
  bot: Bot,
  chat: Chat,
  saying: Saying,
  messageId: number,
  shelf?: FileShelf,
): Omit<Update, 'update_id'> {
  const person = personOf(saying);
  return {
    message: {
      message_id: messageId,
      from: person,
      chat: aboutChat(chat, person),
      date: Math.floor(Date.now() / 1000),
      ...contentFields(saying, shelf),
      ...(saying.threadId === undefined
        ? {}
        : { message_thread_id: saying.threadId, is_topic_message: true }),
      ...replyFields(bot, chat, saying),
    },
  };
}

/** The message's entry in the chat's history. */
export function saidEntry(saying: Saying, messageId: number): Entry {
  const person = personOf(saying);
  const { text, threadId, media, albumId, replyToMessageId, quote } = saying;
  return {
    messageId,
    direction: 'in',
    text,
    from: person.first_name,
    fromId: person.id,
    sentAt: new Date().toISOString(),
    ...(threadId === undefined ? {} : { threadId }),
    ...(media === undefined ? {} : { media }),
    ...(albumId === undefined ? {} : { albumId }),
    ...(replyToMessageId === undefined ? {} : { replyToMessageId }),
    ...(quote === undefined ? {} : { quote }),
    delivery: { state: 'queued', attempts: 0 },
  };
}

/** The chat as it is represented in an update. */
export function aboutChat({ about }: Chat, person: PlatformUser): Record<string, unknown> {
  if (about.type !== 'private') return { title: 'Test group', ...about };
  const username = person.username === undefined ? {} : { username: person.username };
  return { ...about, first_name: person.first_name, ...username };
}

/** A text, or media with a caption. */
export function contentFields(
  { text, media, file, albumId }: Saying,
  shelf?: FileShelf,
): Record<string, unknown> {
  const entities = entitiesOf(text);
  const marked = entities.length === 0 ? undefined : entities;
  if (media === undefined) return { text, ...(marked ? { entities: marked } : {}) };
  const caption = text === '' ? {} : { caption: text, ...(marked ? { caption_entities: marked } : {}) };
  return { ...mediaFields(media, file, shelf), ...caption, ...(albumId ? { media_group_id: albumId } : {}) };
}

function replyFields(bot: Bot, chat: Chat, saying: Saying): Record<string, unknown> {
  const repliedTo = chat.entries.find((entry) => entry.messageId === saying.replyToMessageId);
  if (repliedTo === undefined) return topicOpening(bot, chat, saying.threadId);
  const position = saying.quote ? repliedTo.text.indexOf(saying.quote) : -1;
  const quote = position < 0 ? {} : { quote: { text: saying.quote, position, is_manual: true } };
  return { reply_to_message: repliedMessage(bot, chat, repliedTo), ...quote };
}

/** In a topic, the platform treats a message without a reply as a reply to the message that opened the topic. */
function topicOpening(bot: Bot, chat: Chat, threadId: number | undefined): Record<string, unknown> {
  const topic = chat.topics?.find((one) => one.threadId === threadId);
  if (topic === undefined) return {};
  const forum_topic_created = { name: topic.name, icon_color: 7_322_096 };
  return {
    reply_to_message: {
      message_id: threadId,
      from: botAsUser(bot),
      chat: chat.about,
      date: 1,
      message_thread_id: threadId,
      is_topic_message: true,
      forum_topic_created,
    },
  };
}

function repliedMessage(bot: Bot, chat: Chat, entry: Entry): Record<string, unknown> {
  const isOut = entry.direction === 'out';
  const person = { id: entry.fromId ?? defaultPersonId, is_bot: false, first_name: entry.from };
  const date = Math.floor(Date.parse(entry.sentAt) / 1000);
  const { media, text } = entry;
  const content = contentFields({ chatId: 0, text, ...(media === undefined ? {} : { media }) });
  const from = isOut ? botAsUser(bot) : person;
  return { message_id: entry.messageId, from, chat: chat.about, date, ...content };
}

export function botAsUser(bot: Bot): PlatformUser {
  return { id: bot.id, is_bot: true, first_name: bot.firstName, username: bot.username };
}

/** In a group with privacy mode on, only messages for the bot reach it: a mention, a command, or a reply to it. */
export function reachesBot(bot: Bot, chat: Chat, saying: Saying): boolean {
  if (chat.about.type === 'private' || bot.canReadAllGroupMessages) return true;
  const repliedTo = chat.entries.find((entry) => entry.messageId === saying.replyToMessageId);
  if (repliedTo?.direction === 'out') return true;
  const name = bot.username.toLowerCase();
  return entitiesOf(saying.text).some((entity) => {
    const words = saying.text.slice(entity.offset, entity.offset + entity.length).toLowerCase();
    if (entity.type === 'mention') return words === `@${name}`;
    return entity.type === 'bot_command' && (!words.includes('@') || words.endsWith(`@${name}`));
  });
}
