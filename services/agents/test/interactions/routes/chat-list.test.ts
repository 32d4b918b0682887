import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../../agents-services.ts';
import { HandledChat } from '../../takeover/chats.ts';

let services: AgentsServices;
let bot: TestBot;
let chats: Record<'zoe' | 'max' | 'team', HandledChat>;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  chats = {
    zoe: await chatOf({ id: '1', name: 'Zoë Zebra', title: 'Zoë', text: '100% of my order_1 is late' }),
    max: await chatOf({ id: '2', name: 'Max', title: 'Max', text: 'hello' }),
    team: await chatOf({ id: '3', name: 'Tim', title: 'Team of Max', text: 'x'.repeat(300) }),
  };
});
afterAll(() => services?.close());

async function chatOf(of: { id: string; name: string; title: string; text: string }): Promise<HandledChat> {
  const chat = new HandledChat(services, bot);
  await chat.say(of.text, {
    sender: { platformUserId: of.id, name: of.name },
    chat: { platformChatId: of.id, kind: 'private', title: of.title },
  });
  await chat.answers(1);
  await chat.isIdle();
  return chat;
}

interface Line {
  chatId: string;
  title: string;
  people: { personId: string; name: string }[];
  [field: string]: unknown;
}
const list = (query: Record<string, string>, as = services.acme.admin) =>
  services.agents.call('GET', `/api/interactions/chats?${new URLSearchParams(query)}`, { as });
const titles = async (query: Record<string, string>): Promise<string[]> =>
  (await list(query)).body.map(({ title }: Line) => title);
const nextOf = ({ headers }: { headers: Headers }): string =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';

test("a page of chats has each chat's bot, authors, and last message", async () => {
  const { body } = await list({});
  const line = body.find(({ title }: Line) => title === 'Team of Max');
  expect(line).toMatchObject({
    botName: 'Support',
    people: [{ name: 'Tim' }],
    lastMessage: { author: { kind: 'bot' }, text: `re: ${'x'.repeat(196)}`, createdAt: expect.any(String) },
  });
});

test('q finds titles, names and messages, in any case and literally', async () => {
  expect(await titles({ q: 'max' })).toEqual(['Team of Max', 'Max']);
  expect(await titles({ q: 'zebra' })).toEqual(['Zoë']);
  expect(await titles({ q: 'ORDER_1' })).toEqual(['Zoë']);
  expect(await titles({ q: 'order%late' })).toEqual([]);
  expect(await titles({ q: '100%' })).toEqual(['Zoë']);
  expect((await list({ q: 'max' }, services.other.admin)).body).toEqual([]);
});

test('a text that is too long, empty or has a zero character is refused', async () => {
  for (const q of ['x'.repeat(101), ' ', 'a\0b']) expect((await list({ q })).status).toBe(400);
});

test('chats are narrowed by a person, and the title alone is still searched by text', async () => {
  const [zoe] = (await list({ q: 'zebra' })).body as Line[];
  expect(await titles({ personId: zoe!.people[0]!.personId })).toEqual(['Zoë']);
  expect(await titles({ text: 'team' })).toEqual(['Team of Max']);
  expect(await titles({ text: 'zebra' })).toEqual([]);
});

test("a chat's assignee and last author are named, and both can be filtered by", async () => {
  const { zoe } = chats;
  await zoe.takeOver();
  await zoe.write('I look into it.');
  const { userId } = (await services.tenancy.call('GET', '/api/current-user', { as: services.acme.admin }))
    .body;
  const [line] = (await list({ handling: 'person', assigneeUserId: userId })).body;
  expect(line).toMatchObject({
    title: 'Zoë',
    assigneeUserId: userId,
    lastMessage: { text: 'I look into it.', author: { kind: 'staff', userId } },
  });
  expect(line.assigneeName).toBe(line.lastMessage.author.name);
  expect(await titles({ handling: 'bot' })).toEqual(['Team of Max', 'Max']);
  await zoe.handBack();
});

test('chats are sorted by their last message, either way, page by page', async () => {
  await chats.max.say('once more', {
    sender: { platformUserId: '2', name: 'Max' },
    chat: { platformChatId: '2', kind: 'private', title: 'Max' },
  });
  await eventually('it is the newest', async () => (await titles({ sort: '-lastMessageAt' }))[0] === 'Max');
  const whole = await titles({ sort: '-lastMessageAt' });
  expect(await titles({ sort: 'lastMessageAt' })).toEqual(whole.toReversed());
  const first = await list({ sort: '-lastMessageAt', limit: '2' });
  const second = await services.agents.call('GET', nextOf(first), { as: services.acme.admin });
  expect([...first.body, ...second.body].map(({ title }: Line) => title)).toEqual(whole);
  expect((await list({ sort: 'title' })).status).toBe(400);
});

test('a cursor of another sort or of other filters is refused with a message of its own', async () => {
  const before = new URL(nextOf(await list({ limit: '1' })), 'http://list.invalid').searchParams.get(
    'before',
  )!;
  expect((await list({ before })).status).toBe(200);
  for (const other of [{ sort: 'createdAt' }, { sort: '-lastMessageAt' }, { q: 'max' }]) {
    const { status, body } = await list({ before, ...other });
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'before', message: expect.stringMatching(/^belongs to another sort order/) }],
    ]);
  }
  for (const forged of ['x', btoa('["-createdAt"]'), btoa('["-createdAt","","now","0"]')])
    expect((await list({ before: forged })).body.issues).toEqual([
      { path: 'before', message: 'is not a cursor of this list' },
    ]);
});

test('messages carry the names of those who wrote them', async () => {
  const messages = await chats.max.messages();
  expect(messages.map(({ author }: { author: unknown }) => author)).toContainEqual({
    kind: 'person',
    name: 'Max',
  });
  expect(messages.map(({ author }: { author: unknown }) => author)).toContainEqual({
    kind: 'bot',
    name: 'Agent',
  });
});
