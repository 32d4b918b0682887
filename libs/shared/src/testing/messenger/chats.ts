/** Chats and the messages in them: who is who, what a person's message looks like as an update, whom it reaches. */
import type { Bot, Chat, Entity, PlatformChat, PlatformUser, Update } from './types.ts';

/** History kept per chat. */
export const maxEntries = 300;

export type Saying = {
  chatId: number;
  text: string;
  /** Default: the person whose private chat it is; in a group, Anna. */
  from?: Partial<PlatformUser>;
  chat?: Partial<PlatformChat>;
  threadId?: number;
  replyToMessageId?: number;
};

export function chatTypeOf(chatId: number | string): PlatformChat['type'] {
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

export function personOf(saying: Saying): PlatformUser {
  const isPrivate = chatTypeOf(saying.chatId) === 'private';
  const id = isPrivate ? saying.chatId : 5_512_345_678;
  return { id, is_bot: false, first_name: 'Anna', language_code: 'en', ...saying.from };
}

/** Mentions, commands and links, as the platform marks them. */
export function entitiesOf(text: string): Entity[] {
  const entities: Entity[] = [];
  const add = (type: string, pattern: RegExp) => {
    for (const found of text.matchAll(pattern)) {
      entities.push({ type, offset: found.index, length: found[0].length });
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
): Omit<Update, 'update_id'> {
  const person = personOf(saying);
  const entities = entitiesOf(saying.text);
  const isPrivate = chat.about.type === 'private';
  const about = isPrivate
    ? {
        ...chat.about,
        first_name: person.first_name,
        ...(person.username === undefined ? {} : { username: person.username }),
      }
    : { title: 'Test group', ...chat.about };
  const repliedTo = chat.entries.find((entry) => entry.messageId === saying.replyToMessageId);
  const reply = repliedTo === undefined ? undefined : repliedMessage(bot, chat, repliedTo);
  return {
    message: {
      message_id: messageId,
      from: person,
      chat: about,
      date: Math.floor(Date.now() / 1000),
      text: saying.text,
      ...(entities.length === 0 ? {} : { entities }),
      ...(saying.threadId === undefined
        ? {}
        : { message_thread_id: saying.threadId, is_topic_message: true }),
      ...(reply === undefined ? {} : { reply_to_message: reply }),
    },
  };
}

function repliedMessage(bot: Bot, chat: Chat, entry: Chat['entries'][number]): Record<string, unknown> {
  const isOut = entry.direction === 'out';
  const from = isOut ? botAsUser(bot) : { id: 5_512_345_678, is_bot: false, first_name: entry.from };
  const date = Math.floor(Date.parse(entry.sentAt) / 1000);
  return { message_id: entry.messageId, from, chat: chat.about, date, text: entry.text };
}

export function botAsUser(bot: Bot): PlatformUser {
  return { id: bot.id, is_bot: true, first_name: bot.firstName, username: bot.username };
}

/** In a group with privacy mode on, only what is meant for the bot reaches it: a mention, a command, a reply to it. */
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
