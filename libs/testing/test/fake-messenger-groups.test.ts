import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeMessenger, startFakeMessenger } from '../src/fake-messenger.ts';
import {
  editMessage,
  migrateGroup,
  openTopic,
  pressButton,
  setMembership,
} from '../src/messenger/chat-events.ts';
import type { MessengerEvent } from '../src/messenger/types.ts';

const token = '4711:secret-of-the-bot';
const anna = { id: 501, is_bot: false, first_name: 'Anna' };
const groupId = -77;
let messenger: FakeMessenger;

beforeEach(async () => {
  messenger = await startFakeMessenger();
  messenger.addBot({ token, username: 'acme_bot', firstName: 'Acme' });
});

afterEach(() => messenger.close());

async function call(method: string, params: Record<string, unknown>) {
  const response = await fetch(`${messenger.url}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  return (await response.json()) as Record<string, unknown>;
}

const say = (text: string, extra: Record<string, unknown> = {}) =>
  messenger.say({ botToken: token, chatId: groupId, text, from: anna, ...extra });
const newest = () => messenger.deliveries.last?.update as Record<string, Record<string, unknown>>;
const newestId = (chatId: number = groupId) => messenger.history(token, chatId).at(-1)?.messageId ?? 0;

test('an album is several messages with one id and one caption; a voice has no text', () => {
  const botToken = token;
  const photo = { botToken, chatId: 501, from: anna, media: 'photo', albumId: '9' } as const;
  messenger.say({ ...photo, text: 'look at https://acme.test' });
  expect(newest().message).toMatchObject({
    caption: 'look at https://acme.test',
    caption_entities: [{ type: 'url' }],
    media_group_id: '9',
    photo: [{ width: 90 }, { width: 800 }],
  });
  messenger.say({ ...photo, text: '' });
  expect(newest().message).not.toHaveProperty('caption');
  messenger.say({ botToken, chatId: 501, from: anna, media: 'voice', text: '' });
  expect(newest().message).toMatchObject({ voice: { mime_type: 'audio/ogg' } });
  expect(newest().message).not.toHaveProperty('text');
});

test('a reply names the message that it answers, with the quoted part', () => {
  say('We ship on Monday. Refunds take a week.');
  const replyToMessageId = newestId();
  say('@acme_bot is that true?', { replyToMessageId, quote: 'Refunds take a week.' });
  expect(newest().message).toMatchObject({
    reply_to_message: { message_id: replyToMessageId, from: { id: 501, first_name: 'Anna' } },
    quote: { text: 'Refunds take a week.', position: 19, is_manual: true },
  });
});

test('an edit carries the new text with the old number and date, and reaches the bot like the message did', () => {
  const first = say('@acme_bot, hello');
  const messageId = newestId();
  const { message } = first.update as { message: { date: number } } & typeof first.update;
  editMessage(messenger, { botToken: token, chatId: groupId, from: anna, messageId, text: '@acme_bot hi' });
  expect(newest().edited_message).toMatchObject({
    message_id: messageId,
    date: message.date,
    edit_date: expect.any(Number),
    text: '@acme_bot hi',
    entities: [{ type: 'mention' }],
  });
  expect(messenger.history(token, groupId)).toMatchObject([
    { text: '@acme_bot hi', editedAt: expect.any(String) },
  ]);
  say('nothing for the bot');
  const edited = editMessage(messenger, {
    botToken: token,
    chatId: groupId,
    from: anna,
    messageId: newestId(),
    text: 'still nothing',
  });
  expect(edited.state).toBe('withheld');
});

test('a topic is opened by a message that every plain message in it replies to; unknown threads accept nothing', async () => {
  const chatId = -1_000_000_000_088;
  const topic = openTopic(messenger, { botToken: token, chatId, from: anna, name: 'Support' });
  expect(newest().message).toMatchObject({
    is_topic_message: true,
    chat: { is_forum: true, type: 'supergroup' },
    forum_topic_created: { name: 'Support' },
  });
  messenger.say({ botToken: token, chatId, text: '@acme_bot hi', from: anna, threadId: topic.threadId });
  expect(newest().message).toMatchObject({
    message_thread_id: topic.threadId,
    is_topic_message: true,
    reply_to_message: { message_id: topic.threadId, forum_topic_created: { name: 'Support' } },
  });
  const sent = { chat_id: chatId, text: 'hello' };
  expect(await call('sendMessage', { ...sent, message_thread_id: topic.threadId })).toMatchObject({
    ok: true,
  });
  expect(await call('sendMessage', { ...sent, message_thread_id: 4 })).toMatchObject({
    description: 'Bad Request: message thread not found',
  });
});

test("a person who blocked the bot can't be written to until they unblock it; the same holds for a group that removed it", async () => {
  const inPrivate = { botToken: token, chatId: 501, from: anna };
  setMembership(messenger, { ...inPrivate, isMember: false });
  expect(newest().my_chat_member).toMatchObject({
    chat: { id: 501, type: 'private' },
    old_chat_member: { status: 'member' },
    new_chat_member: { status: 'kicked', user: { id: 4711 } },
  });
  expect(await call('sendMessage', { chat_id: 501, text: 'hi' })).toMatchObject({
    error_code: 403,
    description: 'Forbidden: bot was blocked by the user',
  });
  setMembership(messenger, { ...inPrivate, isMember: true });
  expect(newest().my_chat_member).toMatchObject({ new_chat_member: { status: 'member' } });
  expect(await call('sendMessage', { chat_id: 501, text: 'hi' })).toMatchObject({ ok: true });
  setMembership(messenger, { botToken: token, chatId: groupId, from: anna, isMember: false });
  expect(await call('sendChatAction', { chat_id: groupId, action: 'typing' })).toMatchObject({
    description: 'Forbidden: bot was kicked from the group chat',
  });
});

test('a group that became a supergroup redirects to the new id; both chats announce it', async () => {
  say('before');
  const newId = migrateGroup(messenger, { botToken: token, chatId: groupId, from: anna });
  expect(newId).toBe(-1_000_000_000_077);
  expect(messenger.deliveries.all.slice(-2).map(({ update }) => update.message)).toMatchObject([
    { chat: { id: groupId }, migrate_to_chat_id: newId },
    { chat: { id: newId, type: 'supergroup' }, migrate_from_chat_id: groupId, from: { id: 1_087_968_824 } },
  ]);
  expect(await call('sendMessage', { chat_id: groupId, text: 'late' })).toMatchObject({
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: newId },
  });
  expect(await call('sendMessage', { chat_id: newId, text: 'here' })).toMatchObject({ ok: true });
  expect(messenger.history(token, newId)).toMatchObject([
    { text: 'before', isFromBefore: true },
    { isEvent: true },
    { text: 'here' },
  ]);
});

test('a pressed button is acknowledged once, and only when it was pressed', async () => {
  const inline_keyboard = [
    [
      { text: 'Yes', callback_data: 'yes' },
      { text: 'Site', url: 'https://a.test' },
    ],
  ];
  await call('sendMessage', { chat_id: 501, text: 'Sure?', reply_markup: { inline_keyboard } });
  const messageId = newestId(501);
  expect(messenger.history(token, 501).at(-1)?.buttons).toEqual([
    [
      { text: 'Yes', data: 'yes' },
      { text: 'Site', url: 'https://a.test' },
    ],
  ]);
  const seen: MessengerEvent[] = [];
  messenger.subscribe((event) => seen.push(event));
  const { queryId } = pressButton(messenger, {
    botToken: token,
    chatId: 501,
    messageId,
    data: 'yes',
    from: anna,
  });
  expect(newest().callback_query).toMatchObject({
    id: queryId,
    from: anna,
    data: 'yes',
    message: { message_id: messageId, text: 'Sure?', from: { is_bot: true } },
  });
  expect(await call('answerCallbackQuery', { callback_query_id: '1' })).toMatchObject({ error_code: 400 });
  expect(await call('answerCallbackQuery', { callback_query_id: queryId, text: 'Done' })).toMatchObject({
    ok: true,
  });
  expect(seen.filter(({ type }) => type === 'callback')).toEqual([
    { type: 'callback', botId: 4711, queryId, text: 'Done', isAlert: false },
  ]);
  expect(await call('answerCallbackQuery', { callback_query_id: queryId })).toMatchObject({
    error_code: 400,
  });
});

test.each([
  [[[{ text: 'x' }]], 'text buttons are unallowed in the inline keyboard'],
  [[[{ text: 'x', callback_data: 'é'.repeat(33) }]], 'BUTTON_DATA_INVALID'],
  [[[{ callback_data: 'x' }]], 'field "text" must be of type String'],
])('a keyboard that the platform refuses: %j', async (inline_keyboard, reason) => {
  const refused = await call('sendMessage', { chat_id: 501, text: 'x', reply_markup: { inline_keyboard } });
  expect(refused.description).toBe(`Bad Request: ${reason}`);
});
