import { randomUUID } from 'node:crypto';
import type { ChatQuote, ChatWithPeople } from '@botyard/contracts/http/users';
import type { Identity } from '@botyard/contracts/identity';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ChatSimulator } from '../../chat-simulator.ts';
import { callOk, openPlatform, type Platform, startAgents, userIdOf } from '../../whole-platform.ts';

/** A chat or a quotation: a test reads the fields that it expects. */
interface Item extends Omit<ChatWithPeople, 'kind'>, Omit<ChatQuote, 'kind'> {}

let platform: Platform;
let agents: TestService;
let simulator: ChatSimulator;

beforeAll(async () => {
  platform = await openPlatform();
  agents = await startAgents(platform);
  simulator = new ChatSimulator(platform);
});
beforeEach(() =>
  platform.harness.asOwner('truncate agents.conversations, agents.messages, agents.people, agents.quotes'),
);
afterAll(() => platform?.close());

const get = (path: string, as: Identity) => platform.tenancy.call('GET', `/api/users${path}`, { as });
const list = async (path: string, as: Identity) =>
  (await callOk(platform.tenancy, 'GET', `/api/users${path}`, { as })) as Item[];
const idsOf = async (path: string, as: Identity) =>
  (await list(path, as)).map(({ chatId, quoteId }) => quoteId ?? chatId);

/** Every item of a list, page by page. */
async function walk(path: string, as: Identity) {
  const items: Item[] = [];
  let pages = 0;
  for (let next: string | undefined = `/api/users${path}`; next; pages += 1) {
    const { status, body, text, headers } = await platform.tenancy.call('GET', next, { as });
    if (status !== 200) throw new Error(`${next} answered ${status} ${text}`);
    items.push(...body);
    next = /<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  return { items, pages };
}

const quote = { kind: 'quote', text: 'Refunds take a week.' } as const;

describe('chats', () => {
  test('are listed with their people for the admins of their tenant and for operators, newest first', async () => {
    const { acme, other } = platform;
    const [own, foreign] = [await simulator.createBot(acme), await simulator.createBot(other)];
    const first = await simulator.say(own);
    const second = await simulator.say(own, { sender: { platformUserId: '7', name: 'Ravi' } });
    const third = await simulator.say(foreign);
    const [chat, ...more] = await list('/chats', acme.admin);
    expect(chat).toEqual({
      ...own,
      chatId: second.chatId,
      platform: 'messenger',
      title: 'Anna Keller',
      kind: 'private',
      people: [{ personId: expect.any(String), platformUserId: '7', name: 'Ravi', username: null }],
      peopleCount: 1,
      createdAt: expect.any(String),
      lastMessageAt: expect.any(String),
    });
    expect(more.map(({ chatId }) => chatId)).toEqual([first.chatId]);
    expect(await idsOf('/chats', other.admin)).toEqual([third.chatId]);
    expect(await idsOf('/chats', acme.operator)).toEqual([third.chatId, second.chatId, first.chatId]);
    expect(await idsOf(`/chats?tenantId=${acme.tenantId}`, acme.operator)).toHaveLength(2);
    expect(await idsOf(`/chats?tenantId=${acme.tenantId}`, acme.admin)).toHaveLength(2);
    expect(await idsOf(`/chats?tenantId=${randomUUID()}`, acme.operator)).toEqual([]);
  });

  test('show the ten who wrote last and how many there are', async () => {
    const bot = await simulator.createBot(platform.acme);
    const { conversationId } = await simulator.say(bot, { sender: { platformUserId: '0', name: 'P0' } });
    for (let index = 1; index < 12; index += 1)
      await simulator.say(bot, { conversationId, sender: { platformUserId: `${index}`, name: `P${index}` } });
    const receivedAt = new Date(Date.now() + 1000).toISOString();
    await simulator.say(bot, { conversationId, receivedAt, sender: { platformUserId: '3', name: 'P3' } });
    const [chat] = await list('/chats', platform.acme.admin);
    expect(chat?.peopleCount).toBe(12);
    const names = chat!.people.map(({ name }) => name);
    expect(names).toEqual(['P3', 'P11', 'P10', 'P9', 'P8', 'P7', 'P6', 'P5', 'P4', 'P2']);
  });

  test('are split into shorter pages if they fill more than a message of the bus, none lost and none twice', async () => {
    const { harness, acme } = platform;
    await harness.asOwner(
      `with chats as (
         insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
         select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'messenger',
           '{"platformChatId": "1", "kind": "group", "title": "T"}' from generate_series(1, 120) returning conversation_id)
       insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name)
       select $1, conversation_id, gen_random_uuid(), 'messenger', n::text, repeat('語', 300)
       from chats cross join generate_series(1, 12) n`,
      [acme.tenantId],
    );
    const { items, pages } = await walk('/chats?limit=500', acme.admin);
    expect(new Set(items.map(({ chatId }) => chatId)).size).toBe(120);
    expect(items).toHaveLength(120);
    expect(pages).toBeGreaterThan(2);
    expect((await walk('/chats?limit=7', acme.admin)).items).toEqual(items);
  });

  test('are invisible if their tenant is deleted, even before the purge', async () => {
    const { harness, acme, other } = platform;
    const [own, foreign] = [await simulator.createBot(acme), await simulator.createBot(other)];
    await simulator.say(own, { quote });
    const kept = await simulator.say(foreign);
    await harness.asOwner('insert into agents.deleted_tenants (tenant_id, purged_at) values ($1, now())', [
      acme.tenantId,
    ]);
    expect(await idsOf('/chats', acme.operator)).toEqual([kept.chatId]);
    expect(await idsOf(`/chats?tenantId=${acme.tenantId}`, acme.operator)).toEqual([]);
    expect(await idsOf('/quotes', acme.operator)).toEqual([]);
    await harness.asOwner('delete from agents.deleted_tenants');
  });
});

describe('quotes', () => {
  test('are listed with both people of each quotation, for the admins of their tenant and for operators, newest first', async () => {
    const { acme, other } = platform;
    const [own, foreign] = [await simulator.createBot(acme), await simulator.createBot(other)];
    const author = { platformUserId: '7', name: 'Ravi', isBot: false };
    const receivedAt = '2026-11-20T18:40:00.120Z';
    const { chatId, conversationId } = await simulator.say(own, { quote: { ...quote, author }, receivedAt });
    await simulator.say(own, { conversationId });
    await simulator.say(own, { conversationId, quote: { kind: 'reply', text: 'Hello' } });
    await simulator.say(foreign, { quote });
    const seen = await list('/quotes', acme.admin);
    const quotedBy = { personId: expect.any(String), platformUserId: '5512345678', name: 'Anna Keller' };
    const common = { quoteId: expect.any(String), ...own, chatId, platform: 'messenger', quotedBy };
    expect(seen).toEqual([
      { ...common, kind: 'reply', text: 'Hello', author: null, createdAt: expect.any(String) },
      { ...common, ...quote, author, createdAt: receivedAt },
    ]);
    expect(await list('/quotes', other.admin)).toMatchObject([{ ...foreign, ...quote }]);
    expect(await list('/quotes', acme.operator)).toHaveLength(3);
    expect(await list(`/quotes?tenantId=${other.tenantId}`, acme.operator)).toHaveLength(1);
    const { items, pages } = await walk('/quotes?limit=1', acme.operator);
    expect([items, pages]).toEqual([await list('/quotes', acme.operator), 3]);
  });

  test('can be narrowed to a bot or a chat, within reach only', async () => {
    const { acme, other } = platform;
    const [one, two] = [await simulator.createBot(acme), await simulator.createBot(acme)];
    const first = await simulator.say(one, { quote });
    await simulator.say(one, { quote });
    await simulator.say(two, { quote });
    const foreign = { ...(await simulator.createBot(other)) };
    const { chatId } = await simulator.say(foreign, { quote });
    const count = async (query: string, as = acme.admin) => (await list(`/quotes?${query}`, as)).length;
    expect(await count(`botId=${one.botId}`)).toBe(2);
    expect(await count(`chatId=${first.chatId}`)).toBe(1);
    expect(await count(`botId=${two.botId}&chatId=${first.chatId}`)).toBe(0);
    expect(await count(`chatId=${chatId}`)).toBe(0);
    expect(await count(`botId=${foreign.botId}`)).toBe(0);
    expect(await count(`chatId=${chatId}`, acme.operator)).toBe(1);
    expect((await get('/quotes?botId=x', acme.admin)).status).toBe(400);
  });

  test('are split into shorter pages if they fill more than a message of the bus, none lost and none twice', async () => {
    const { harness, acme } = platform;
    const { conversationId } = await simulator.say(await simulator.createBot(acme), { quote });
    await harness.asOwner(
      `insert into agents.quotes (tenant_id, quote_id, conversation_id, bot_id, person_id, seq, kind, text)
       select tenant_id, gen_random_uuid(), conversation_id, bot_id, person_id, n, kind, repeat(U&'\\0001語', 2048)
       from agents.quotes cross join generate_series(2, 150) n where conversation_id = $1`,
      [conversationId],
    );
    const { items, pages } = await walk('/quotes?limit=500', acme.admin);
    expect(new Set(items.map(({ quoteId }) => quoteId)).size).toBe(150);
    expect(items).toHaveLength(150);
    expect(pages).toBeGreaterThan(5);
    expect((await walk('/quotes?limit=9', acme.operator)).items).toEqual(items);
  });
});

describe('quotes of one person', () => {
  test('belong to a person of a platform, or to a user: a user without a linked account has none', async () => {
    const { acme } = platform;
    const bot = await simulator.createBot(acme);
    const ravi = { platformUserId: '7', name: 'Ravi' };
    const { conversationId } = await simulator.say(bot, { sender: ravi, quote });
    await simulator.say(bot, { conversationId, quote });
    await simulator.say(bot, { sender: ravi, quote: { kind: 'reply', text: 'Hello' } });
    await simulator.say(bot, { sender: { platformUserId: '8', name: 'Silent' } });
    const all = await list('/quotes', acme.admin);
    const by = (name: string) => all.filter((one) => one.quotedBy.name === name);
    const { personId } = by('Ravi')[0]!.quotedBy;
    expect(by('Ravi')).toHaveLength(2);
    expect(await list(`/${personId}/quotes`, acme.admin)).toEqual(by('Ravi'));
    expect((await walk(`/${personId}/quotes?limit=1`, acme.operator)).items).toEqual(by('Ravi'));
    const silent = (await list('/chats', acme.admin))[0]!.people[0]!;
    expect(await list(`/${silent.personId}/quotes`, acme.admin)).toEqual([]);
    expect(await list(`/${await userIdOf(platform, acme.member)}/quotes`, acme.admin)).toEqual([]);
  });

  test('out of reach look like those of an unknown person', async () => {
    const { acme, other } = platform;
    await simulator.say(await simulator.createBot(other), { quote });
    const [chat] = await list('/chats', other.admin);
    const personId = chat!.people[0]!.personId;
    const foreign = await userIdOf(platform, other.member);
    const answers = await Promise.all(
      [personId, foreign, randomUUID(), 'superadmin'].map((id) => get(`/${id}/quotes`, acme.admin)),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await get('/chats/quotes', acme.admin)).status).toBe(404);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toBe((await get(`/${randomUUID()}`, acme.admin)).text);
    expect(await list(`/${personId}/quotes`, acme.operator)).toHaveLength(1);
  });
});

test('without the agents service the answer is an error with the reason; a user within reach needs none', async () => {
  const { acme, other } = platform;
  await agents.stop();
  const [user, foreign] = [await userIdOf(platform, acme.member), await userIdOf(platform, other.member)];
  const paths = ['/chats', '/quotes', `/${randomUUID()}/quotes`, `/${foreign}/quotes`];
  for (const path of paths) {
    const { status, body } = await get(path, acme.admin);
    expect([path, status, body]).toEqual([path, 503, { error: 'the agents service does not answer' }]);
  }
  expect(await list(`/${user}/quotes`, acme.admin)).toEqual([]);
});
