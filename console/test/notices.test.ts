import { expect, test } from 'vitest';
import { Notices } from '../src/shell/notices.ts';

const chat = (fields: object) => ({
  type: 'chat.updated',
  id: '1',
  data: { chatId: 'a', state: 'open', handling: 'bot', assigneeUserId: null, ...fields },
});
const message = (chatId: string) => ({
  type: 'message.received',
  id: '2',
  data: { chatId, text: 'my PIN is 1234', author: { kind: 'person', name: 'Ada' } },
});
const mine = { handling: 'person', assigneeUserId: 'anna' };

test('a chat that begins to wait is told once, and again when it waits again', () => {
  const notices = new Notices('anna');
  const waiting = { chatId: 'a', words: 'A chat waits for a person.' };
  expect(notices.hear(chat({ state: 'waiting' }))).toEqual(waiting);
  expect(notices.hear(chat({ state: 'waiting' }))).toBeUndefined();
  expect(notices.hear(chat({ state: 'open' }))).toBeUndefined();
  expect(notices.hear(chat({ state: 'waiting' }))).toEqual(waiting);
});

test("messages are told of the reader's own chats only, and never with a name or a text", () => {
  const notices = new Notices('anna');
  notices.know(['b']);
  expect(notices.hear(message('a'))).toBeUndefined();
  expect(notices.hear(chat(mine))).toEqual({ chatId: 'a', words: 'A chat was assigned to you.' });
  const words = 'There is a new message in a chat that you handle.';
  expect(notices.hear(message('a'))).toEqual({ chatId: 'a', words });
  expect(notices.hear(message('b'))).toEqual({ chatId: 'b', words });
  notices.hear(chat({ handling: 'bot' }));
  expect(notices.hear(message('a'))).toBeUndefined();
});

test('a chat of a colleague, other events and a gap in the stream are not told', () => {
  const notices = new Notices('anna');
  expect(notices.hear(chat({ ...mine, assigneeUserId: 'ben' }))).toBeUndefined();
  expect(new Notices(null).hear(chat({ handling: 'person', assigneeUserId: null }))).toBeUndefined();
  expect(notices.hear({ type: 'message.sent', id: '3', data: { chatId: 'a' } })).toBeUndefined();
  expect(notices.hear('missed')).toBeUndefined();
});

test('only so many chats are remembered', () => {
  const notices = new Notices('anna');
  notices.know(['first', ...Array.from({ length: 2000 }, (_, at) => `chat ${at}`)]);
  expect(notices.hear(message('first'))).toBeUndefined();
  expect(notices.hear(message('chat 1999'))).toBeDefined();
});
