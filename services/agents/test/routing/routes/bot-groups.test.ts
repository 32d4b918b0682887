import { randomInt, randomUUID } from 'node:crypto';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { maxOpenGroups } from '@botyard/contracts/http/bot-groups';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterAll(() => services?.close());

const call = (
  method: string,
  path: string,
  { as = services.acme.admin, body }: { as?: typeof services.acme.admin; body?: unknown } = {},
) => services.agents.call(method, `/api/bot-groups${path}`, { as, body });

const newPlace = (change: Partial<InboundMessage['chat']> = {}): InboundMessage['chat'] => ({
  platformChatId: `-100${randomInt(1e9)}`,
  kind: 'group',
  title: 'Team',
  ...change,
});

async function sendMessageIn(places: readonly InboundMessage['chat'][], of = bot): Promise<void> {
  for (const place of places) await new Chat(services, of).say('hello', { chat: place });
  await services.harness.settled('agents', 'webhooks');
}

async function groupAt({ platformChatId }: InboundMessage['chat'], of = bot) {
  const { body } = await call('GET', `?botId=${of.botId}&limit=500`);
  return body.find((group: { platformChatId: string }) => group.platformChatId === platformChatId);
}

test('a group is known from the first message to the bot there, with its topics and its latest title', async () => {
  const place = newPlace();
  await sendMessageIn([place, { ...place, threadId: '7' }, { ...place, title: 'Crew', threadId: '9' }]);
  expect(await groupAt(place)).toEqual({
    groupId: expect.any(String),
    botId: bot.botId,
    platform: 'messenger',
    platformChatId: place.platformChatId,
    kind: 'group',
    title: 'Crew',
    name: null,
    answersWhen: 'addressed',
    topics: null,
    knownTopics: ['7', '9'],
    lastMessageAt: expect.any(String),
    overheardAt: null,
    createdAt: expect.any(String),
  });
});

test('private chats are no groups', async () => {
  const place = newPlace({ kind: 'private', platformChatId: '77' });
  await sendMessageIn([place]);
  expect(await groupAt(place)).toBeUndefined();
});

test('a change keeps omitted fields, and null clears nullable ones', async () => {
  const place = newPlace();
  await sendMessageIn([place]);
  const { groupId } = await groupAt(place);
  const change = async (body: object) => (await call('PUT', `/${groupId}`, { body })).body;
  expect(await change({ name: ' Crew ', topics: ['5', '5', 'general'] })).toMatchObject({
    name: 'Crew',
    topics: ['5', 'general'],
    answersWhen: 'addressed',
  });
  expect(await change({ answersWhen: 'never' })).toMatchObject({ name: 'Crew', topics: ['5', 'general'] });
  expect(await change({ name: null, topics: null })).toMatchObject({
    name: null,
    topics: null,
    answersWhen: 'never',
  });
  expect(await change({})).toMatchObject({ answersWhen: 'never' });
});

test.each([
  { answersWhen: 'sometimes' },
  { topics: [] },
  { topics: ['a topic'] },
  { topics: ['x'.repeat(201)] },
  { topics: Array.from({ length: 101 }, (_, index) => String(index + 1)) },
  { name: '' },
  { name: 'x'.repeat(201) },
])('%j is 400', async (body) => {
  const place = newPlace();
  await sendMessageIn([place]);
  const { groupId } = await groupAt(place);
  expect((await call('PUT', `/${groupId}`, { body })).status).toBe(400);
});

test("another tenant's group is not found, not listed, and not changed", async () => {
  const place = newPlace();
  await sendMessageIn([place]);
  const { groupId } = await groupAt(place);
  const as = services.other.admin;
  expect((await call('GET', '', { as })).body).toEqual([]);
  expect((await call('GET', `?botId=${bot.botId}`, { as })).body).toEqual([]);
  for (const id of [groupId, randomUUID()]) {
    expect((await call('GET', `/${id}`, { as })).status).toBe(404);
    expect((await call('PUT', `/${id}`, { as, body: { answersWhen: 'never' } })).status).toBe(404);
  }
  expect(await groupAt(place)).toMatchObject({ answersWhen: 'addressed' });
});

test('members may not look, and an operator may', async () => {
  expect((await call('GET', '', { as: services.acme.member })).status).toBe(403);
});

test('a channel can not be answered, and a bot answers everything in a bounded number of groups', async () => {
  const channel = newPlace({ kind: 'channel' });
  const places = [newPlace(), newPlace()];
  await sendMessageIn([channel, ...places]);
  const open = async (place: InboundMessage['chat']) =>
    await call('PUT', `/${(await groupAt(place)).groupId}`, { body: { answersWhen: 'always' } });
  expect((await open(channel)).status).toBe(409);
  await services.harness.asOwner(
    `insert into agents.bot_groups (tenant_id, group_id, bot_id, platform, platform_chat_id, kind, title, answers_when)
     select $1, gen_random_uuid(), $2, 'messenger', '-200' || n, 'group', 'x', 'always' from generate_series(1, $3) n`,
    [bot.tenantId, bot.botId, maxOpenGroups - 1],
  );
  const both = await Promise.all(places.map(open));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const [opened] = places.filter((_, index) => both[index]?.status === 200);
  expect((await open(opened!)).status).toBe(200);
});

test('the list is newest first, in pages', async () => {
  const mine = await createBot(services, services.acme);
  await sendMessageIn(
    [newPlace({ title: 'one' }), newPlace({ title: 'two' }), newPlace({ title: 'three' })],
    mine,
  );
  const first = await call('GET', `?botId=${mine.botId}&limit=2`);
  expect(first.body.map(({ title }: { title: string }) => title)).toEqual(['three', 'two']);
  const next = /[?&](before=[^&>]+)/.exec(String(first.headers.get('link')))?.[1];
  const second = await call('GET', `?botId=${mine.botId}&limit=2&${next}`);
  expect(second.body.map(({ title }: { title: string }) => title)).toEqual(['one']);
});

test("a deleted bot's groups are gone, and a late message brings none back", async () => {
  const gone = await createBot(services, services.acme);
  const place = newPlace();
  await sendMessageIn([place], gone);
  expect(await groupAt(place, gone)).toBeDefined();
  await services.tenancy.call('DELETE', `/api/bots/${gone.tenantId}/${gone.botId}`, {
    as: services.acme.admin,
  });
  await services.harness.settled('agents', 'tenancy');
  await sendMessageIn([place], gone);
  expect(await groupAt(place, gone)).toBeUndefined();
});
