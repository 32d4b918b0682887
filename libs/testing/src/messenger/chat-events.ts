/**
 * Events in a chat other than new messages: edits, presses of buttons, a bot that is blocked, removed or added, a
 * group that becomes a supergroup.
 */
import { randomUUID } from 'node:crypto';
import type { FakeMessenger } from '../fake-messenger.ts';
import { aboutChat, botAsUser, chatOf, contentFields, messageUpdate, reachesBot } from './chats.ts';
import type { Bot, Chat, Delivery, Entry, PlatformUser, Topic } from './types.ts';

type InChat = { botToken: string; chatId: number; from: PlatformUser };

/** Anonymous admins look like this bot; the platform itself announces a migration in its name. */
const anonymousAdmin: PlatformUser = {
  id: 1_087_968_824,
  is_bot: true,
  first_name: 'Group',
  username: 'GroupAnonymousBot',
};

/** A person edits one of their messages. Throws if the chat doesn't have it. */
export function editMessage(
  fake: FakeMessenger,
  { botToken, chatId, from, messageId, text }: InChat & { messageId: number; text: string },
): Delivery {
  const bot = fake.bot(botToken);
  const chat = chatOf(bot, chatId);
  const entry = chat.entries.find((one) => one.messageId === messageId && one.direction === 'in');
  if (entry === undefined) throw new Error('nobody wrote such a message in this chat');
  Object.assign(entry, { text, editedAt: new Date().toISOString() });
  const saying = { ...entry, chatId, from };
  const { message } = messageUpdate(bot, chat, saying, messageId);
  const edited_message = {
    ...(message as Record<string, unknown>),
    date: secondsOf(entry.sentAt),
    edit_date: secondsOf(entry.editedAt ?? entry.sentAt),
  };
  fake.entryChanged(bot, String(chatId), entry);
  return fake.receive(botToken, { edited_message }, { isWithheld: !reachesBot(bot, chat, saying) });
}

/** In a private chat the person blocks or unblocks the bot; in a group it is removed or added. */
export function setMembership(
  fake: FakeMessenger,
  { botToken, chatId, from, isMember }: InChat & { isMember: boolean },
): Delivery {
  const bot = fake.bot(botToken);
  const chat = chatOf(bot, chatId);
  const isPrivate = chat.about.type === 'private';
  const place = chat.about.type === 'supergroup' ? 'supergroup chat' : 'group chat';
  const description = isPrivate ? 'bot was blocked by the user' : `bot was kicked from the ${place}`;
  delete chat.refusal;
  if (!isMember) chat.refusal = { status: 403, description: `Forbidden: ${description}` };
  const was = isPrivate ? 'kicked' : 'left';
  const my_chat_member = {
    chat: aboutChat(chat, from),
    from,
    date: secondsOf(new Date().toISOString()),
    old_chat_member: membershipOf(bot, isMember ? was : 'member'),
    new_chat_member: membershipOf(bot, isMember ? 'member' : 'kicked'),
  };
  const verb = isPrivate ? ['blocked', 'unblocked'] : ['removed', 'added'];
  addEvent(fake, bot, chat, `${from.first_name} ${verb[isMember ? 1 : 0]} the bot`);
  fake.emit({ type: 'chat', botId: bot.id, chatId: String(chatId) });
  return fake.receive(botToken, { my_chat_member });
}

type Press = InChat & { messageId: number; data: string };

/** A person presses a button of a message of the bot. */
export function pressButton(fake: FakeMessenger, press: Press): { queryId: string; delivery: Delivery } {
  const { botToken, chatId, messageId, data, from } = press;
  const bot = fake.bot(botToken);
  const chat = chatOf(bot, chatId);
  const entry = chat.entries.find((one) => one.messageId === messageId && one.direction === 'out');
  if (entry === undefined) throw new Error('the bot has no such message in this chat');
  const queryId = String(BigInt(`0x${randomUUID().replaceAll('-', '').slice(0, 15)}`));
  const message = {
    message_id: messageId,
    from: botAsUser(bot),
    chat: aboutChat(chat, from),
    date: Math.floor(Date.parse(entry.sentAt) / 1000),
    ...contentFields({ chatId, text: entry.text }),
    ...(entry.threadId === undefined ? {} : { message_thread_id: entry.threadId, is_topic_message: true }),
  };
  const callback_query = { id: queryId, from, message, chat_instance: String(-chatId), data };
  return { queryId, delivery: fake.receive(botToken, { callback_query }) };
}

/** Adds a topic to a forum and notifies the bot. */
export function openTopic(
  fake: FakeMessenger,
  { botToken, chatId, from, name }: InChat & { name: string },
): Topic {
  const bot = fake.bot(botToken);
  const chat = chatOf(bot, chatId, { is_forum: true });
  const threadId = bot.nextMessageId++;
  const topic = { threadId, name };
  chat.topics = [...(chat.topics ?? []), topic];
  fake.emit({ type: 'chat', botId: bot.id, chatId: String(chatId) });
  const message = { ...serviceMessage(chat, from, threadId), message_thread_id: threadId };
  const forum_topic_created = { name, icon_color: 7_322_096 };
  fake.receive(botToken, { message: { ...message, is_topic_message: true, forum_topic_created } });
  return topic;
}

/** The group becomes a supergroup with a new id, which is returned; calls to the old one are only redirected. */
export function migrateGroup(fake: FakeMessenger, { botToken, chatId, from }: InChat): number {
  const bot = fake.bot(botToken);
  const old = chatOf(bot, chatId);
  if (old.about.type !== 'group' || old.refusal !== undefined) throw new Error('only a group can migrate');
  const newId = -1_000_000_000_000 + chatId;
  const { title = 'Test group' } = old.about;
  const next = chatOf(bot, newId, { title });
  next.entries = old.entries.map((entry): Entry => ({ ...entry, isFromBefore: true }));
  const description = 'Bad Request: group chat was upgraded to a supergroup chat';
  old.refusal = { status: 400, description, migratedTo: newId };
  addEvent(fake, bot, next, 'The group became a supergroup');
  for (const id of [chatId, newId]) fake.emit({ type: 'chat', botId: bot.id, chatId: String(id) });
  const left = serviceMessage(old, from, bot.nextMessageId++);
  fake.receive(botToken, { message: { ...left, migrate_to_chat_id: newId } });
  const arrived = serviceMessage(next, anonymousAdmin, 1);
  fake.receive(botToken, {
    message: { ...arrived, sender_chat: next.about, migrate_from_chat_id: chatId },
  });
  return newId;
}

/** An entry in the history without an author. */
function addEvent(fake: FakeMessenger, bot: Bot, chat: Chat, text: string): void {
  const sentAt = new Date().toISOString();
  const entry: Entry = { messageId: bot.nextMessageId++, direction: 'in', text, from: '', sentAt };
  fake.addEntry(bot, String(chat.about.id), { ...entry, isEvent: true });
}

function serviceMessage(chat: Chat, from: PlatformUser, messageId: number): Record<string, unknown> {
  const date = secondsOf(new Date().toISOString());
  return { message_id: messageId, from, chat: aboutChat(chat, from), date };
}

function membershipOf(bot: Bot, status: string): Record<string, unknown> {
  return { user: botAsUser(bot), status, ...(status === 'kicked' ? { until_date: 0 } : {}) };
}

function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
