import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatPeople } from '../chats/people.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';
import { readSettings } from '../settings.ts';

const token = '4711:any-secret';
const [sam, anna] = chatPeople.map(({ id }) => id) as [number, number];
let sandbox: Sandbox;
let messenger: FakeMessenger;

beforeAll(async () => {
  sandbox = await startSandbox(readSettings({ SANDBOX_PORT: '0', SANDBOX_PLATFORMS: 'messenger' }));
  messenger = sandbox.platforms.messenger as FakeMessenger;
  messenger.addBot({ token, username: 'demo_bot', firstName: 'Demo' });
});

afterAll(() => sandbox?.stop());

type Answered = { status: number; body: Record<string, unknown> & Record<string, unknown>[] };

async function ask(path: string, body?: unknown): Promise<Answered> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${sandbox.url}/api/bots/4711/chats${path}`, body === undefined ? {} : init);
  return { status: response.status, body: (await response.json()) as Answered['body'] };
}

/** Sends a message as the bot, as its program would. */
async function botSays(chatId: number, text: string, more: Record<string, unknown> = {}): Promise<number> {
  const response = await fetch(`${sandbox.url}/messenger/bot${token}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id: chatId, text, ...more }),
  });
  return ((await response.json()) as { result: { message_id: number } }).result.message_id;
}

async function newGroup(): Promise<string> {
  const { status, body } = await ask('', { title: 'A group' });
  expect(status).toBe(201);
  return String(body.chatId);
}

const newest = () => messenger.deliveries.last?.update as Record<string, Record<string, unknown>>;

test('every person finds an own private chat, the group and the forum with its topics', async () => {
  const { body } = await ask(`?as=${anna}`);
  expect(body).toMatchObject([
    { chatId: String(anna), kind: 'private' },
    { kind: 'group', isMember: true },
    { kind: 'supergroup', topics: [{ name: 'Support' }, { name: 'Releases' }] },
  ]);
  expect((await ask(`?as=${sam}`)).body).not.toContainEqual(
    expect.objectContaining({ chatId: String(anna) }),
  );
  expect((await ask('?as=12')).status).toBe(400);
});

test('people write into existing topics only', async () => {
  const forum = (await ask('')).body.find(({ kind }) => kind === 'supergroup');
  const topics = (forum?.topics ?? []) as { threadId: number }[];
  const path = `/${forum?.chatId}/messages`;
  const written = await ask(path, { personId: anna, text: '@demo_bot hi', threadId: topics[0]?.threadId });
  expect(written).toMatchObject({ status: 201, body: { state: 'queued' } });
  expect(newest().message).toMatchObject({ is_topic_message: true, from: { first_name: 'Anna' } });
  expect((await ask(path, { personId: anna, text: 'hi', threadId: 5 })).status).toBe(404);
});

test('a private chat belongs to one person, and only the people of the sandbox may write', async () => {
  expect((await ask(`/${anna}/messages`, { personId: sam, text: 'hi' })).status).toBe(403);
  expect((await ask(`/${sam}/messages`, { personId: 5, text: 'hi' })).status).toBe(403);
  expect((await ask(`/${await newGroup()}/messages`, { personId: 5, text: 'hi' })).status).toBe(400);
  expect((await ask('/-999/messages', { personId: sam, text: 'hi' })).status).toBe(404);
});

test('a reply stays in its chat, and quotes only what stands there', async () => {
  const group = await newGroup();
  const target = (await ask(`/${group}/messages`, { personId: anna, text: 'Refunds take a week.' })).body;
  const reply = { personId: sam, text: '@demo_bot true?', replyToMessageId: target.messageId };
  expect((await ask(`/${group}/messages`, { ...reply, quote: 'a week' })).status).toBe(201);
  expect(newest().message).toMatchObject({ quote: { text: 'a week' } });
  expect((await ask(`/${group}/messages`, { ...reply, quote: 'a month' })).status).toBe(400);
  expect((await ask(`/${await newGroup()}/messages`, reply)).status).toBe(404);
});

test('people can edit only their own messages', async () => {
  const group = await newGroup();
  const { messageId } = (await ask(`/${group}/messages`, { personId: anna, text: '@demo_bot a' })).body;
  const said = await botSays(Number(group), 'b');
  expect((await ask(`/${group}/messages/${messageId}/edit`, { personId: sam, text: 'c' })).status).toBe(403);
  expect((await ask(`/${group}/messages/${said}/edit`, { personId: anna, text: 'c' })).status).toBe(403);
  expect((await ask(`/${group}/messages/7/edit`, { personId: anna, text: 'c' })).status).toBe(404);
  expect((await ask(`/${group}/messages/${messageId}/edit`, { personId: anna, text: '' })).status).toBe(400);
  const edited = await ask(`/${group}/messages/${messageId}/edit`, { personId: anna, text: '@demo_bot d' });
  expect(edited).toMatchObject({ status: 200, body: { messageId } });
  expect(newest().edited_message).toMatchObject({ text: '@demo_bot d' });
});

test('an album is three photos with one caption; what the sandbox has not is refused', async () => {
  const before = messenger.deliveries.count;
  expect((await ask(`/${sam}/messages`, { personId: sam, text: 'look', media: 'album' })).status).toBe(201);
  const sent = messenger.deliveries.all.slice(before).map(({ update }) => update.message);
  expect(sent).toMatchObject([{ caption: 'look' }, { photo: {} }, { photo: {} }]);
  expect((await ask(`/${sam}/messages`, { personId: sam, media: 'sticker' })).status).toBe(201);
  expect((await ask(`/${sam}/messages`, { personId: sam, media: 'hologram' })).status).toBe(400);
  expect(
    (await ask(`/${sam}/messages`, { personId: sam, text: 'x'.repeat(1025), media: 'photo' })).status,
  ).toBe(400);
});

test('a file is sent as the kind that its name says, and the bot can download it', async () => {
  const base64 = Buffer.from('Kettles are returned within 30 days.').toString('base64');
  const send = (name: string) =>
    ask(`/${sam}/messages`, { personId: sam, text: 'look', file: { name, base64 } });
  const newest = () => messenger.deliveries.all.at(-1)!.update.message as Record<string, unknown>;
  expect((await send('terms.txt')).status).toBe(201);
  expect(newest()).toMatchObject({ caption: 'look', document: { file_name: 'terms.txt', file_size: 36 } });
  const { file_id } = newest().document as { file_id: string };
  const api = `${sandbox.url}/messenger`;
  const answer = await fetch(`${api}/bot${token}/getFile?file_id=${file_id}`);
  const { result } = (await answer.json()) as { result: { file_path: string } };
  const file = await fetch(`${api}/file/bot${token}/${result.file_path}`);
  expect(await file.text()).toBe('Kettles are returned within 30 days.');
  for (const [name, kind] of [
    ['a.JPG', 'photo'],
    ['a.ogg', 'voice'],
    ['a.mp3', 'audio'],
  ] as const) {
    expect((await send(name)).status).toBe(201);
    expect(newest()).toHaveProperty(kind);
  }
  expect((await ask(`/${sam}/messages`, { personId: sam, file: { name: 'a.txt' } })).status).toBe(400);
});

test('everyone in the chat can press a button of the message, or a former one if it has none', async () => {
  const inline_keyboard = [[{ text: 'Yes', callback_data: 'yes' }]];
  const messageId = await botSays(sam, 'Sure?', { reply_markup: { inline_keyboard } });
  const press = (id: number, data: unknown) => ask(`/${sam}/messages/${id}/press`, { personId: sam, data });
  expect((await press(messageId, 'yes')).status).toBe(201);
  expect(newest().callback_query).toMatchObject({ data: 'yes', from: { id: sam } });
  expect((await press(messageId, 'other')).status).toBe(404);
  expect((await press(messageId, 'x'.repeat(65))).status).toBe(400);
  expect((await press(await botSays(sam, 'plain'), 'old-button')).status).toBe(201);
  const own = (await ask(`/${sam}/messages`, { personId: sam, text: 'mine' })).body.messageId;
  expect((await press(Number(own), 'yes')).status).toBe(403);
});

test("a person who has blocked the bot can't write to it, and can't block it twice", async () => {
  const path = `/${anna}/membership`;
  expect((await ask(path, { personId: sam, isMember: false })).status).toBe(403);
  expect((await ask(path, { personId: anna, isMember: false })).status).toBe(200);
  expect((await ask(path, { personId: anna, isMember: false })).status).toBe(409);
  expect((await ask(`/${anna}/messages`, { personId: anna, text: 'hi' })).status).toBe(409);
  expect((await ask(path, { personId: anna, isMember: true })).status).toBe(200);
  expect((await ask(`/${anna}/messages`, { personId: anna, text: 'hi' })).status).toBe(201);
});

test('a removed bot receives nothing from the group, not even mentions', async () => {
  const group = await newGroup();
  expect((await ask(`/${group}/membership`, { isMember: false })).status).toBe(200);
  const unheard = await ask(`/${group}/messages`, { personId: sam, text: '@demo_bot hello?' });
  expect(unheard.body.state).toBe('withheld');
});

test('a group becomes a supergroup once, with its history; the old chat is gone', async () => {
  const group = await newGroup();
  const { messageId } = (await ask(`/${group}/messages`, { personId: sam, text: 'before' })).body;
  const moved = await ask(`/${group}/migration`, { personId: sam });
  expect(moved).toMatchObject({ status: 201, body: { chatId: String(-1e12 + Number(group)) } });
  const newId = moved.body.chatId;
  expect((await ask('')).body.map(({ chatId }) => chatId)).toContain(newId);
  expect((await ask('')).body.map(({ chatId }) => chatId)).not.toContain(group);
  expect((await ask(`/${newId}/messages`)).body.messages).toMatchObject([{ text: 'before' }, {}]);
  expect((await ask(`/${group}/messages`, { personId: sam, text: 'late' })).status).toBe(409);
  expect((await ask(`/${group}/migration`, {})).status).toBe(409);
  expect((await ask(`/${newId}/migration`, {})).status).toBe(409);
  expect((await ask(`/${newId}/messages/${messageId}/edit`, { personId: sam, text: 'c' })).status).toBe(409);
});

test.each([
  ['no text', {}],
  ['only spaces', { text: '   ' }],
  ['too much', { text: 'x'.repeat(4097) }],
  ['no string', { text: { evil: true } }],
  ['a reply to no message', { text: 'x', replyToMessageId: '1 or 1=1' }],
  ['a topic that is no number', { text: 'x', threadId: ['1'] }],
  ['a person who is no number', { text: 'x', personId: '__proto__' }],
])('hostile input is refused and never an error of the server: %s', async (_name, body) => {
  const { status } = await ask(`/${sam}/messages`, { personId: sam, ...body });
  expect([400, 403, 404]).toContain(status);
});

test('unknown paths return 404, and invalid bodies are rejected', async () => {
  for (const path of [
    '/0/messages',
    '/%00/messages',
    '/1/messages/1/delete',
    '/1/tokens',
    `/${'9'.repeat(40)}/messages`,
  ])
    expect((await ask(path, { text: 'x' })).status).toBe(404);
  const undecodable = await fetch(`${sandbox.url}/api/%E0%A4%A`);
  expect(undecodable.status).toBe(404);
  expect((await ask('', { title: ' ' })).status).toBe(400);
  const array = await fetch(`${sandbox.url}/api/bots/4711/chats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '[1]',
  });
  expect(array.status).toBe(415);
});

test('a bot has a bounded number of groups', async () => {
  const made: number[] = [];
  for (let one = 0; one < 20; one += 1) made.push((await ask('', { title: `Group ${one}` })).status);
  expect(made.at(-1)).toBe(409);
});

test('no response of the API contains a token', async () => {
  for (const path of ['status', 'bots', `bots/4711/chats?as=${sam}`, `bots/4711/chats/${sam}/messages`]) {
    const text = await (await fetch(`${sandbox.url}/api/${path}`)).text();
    expect(text).not.toContain('any-secret');
  }
});
