import { randomInt, randomUUID } from 'node:crypto';
import { maxAssignments } from '@botyard/contracts/http/bot-assignment';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
let foreign: TestBot;
let agentId: string;
let chatId: string;
let groupId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  foreign = await createBot(services, services.other);
  agentId = bot.agentIds[0]!;
  ({ chatId, groupId } = await placesOf(bot));
});

beforeEach(() => services.harness.asOwner('delete from agents.bot_assignments'));

afterAll(() => services?.close());

async function placesOf(of: TestBot) {
  const chat = { platformChatId: `-100${randomInt(1e9)}`, kind: 'group' as const, title: 'Team' };
  await new Chat(services, of).say('hello', { chat });
  await services.harness.settled('agents', 'webhooks');
  const as = of === foreign ? services.other.admin : services.acme.admin;
  const read = async (path: string) =>
    (await services.agents.call('GET', `${path}?botId=${of.botId}`, { as })).body[0];
  return {
    chatId: (await read('/api/interactions/chats')).chatId as string,
    groupId: (await read('/api/bot-groups')).groupId as string,
  };
}

const call = (method: string, path: string, body?: unknown, as = services.acme.admin) =>
  services.agents.call(method, `/api/bot-assignment${path}`, { as, body });
const create = (body: object = {}) => call('POST', '', { botId: bot.botId, agentId, ...body });

test('an assignment is made, read, listed, changed and deleted', async () => {
  const where = { groupId, threadId: '7' };
  const when = { keywords: ['Refund', 'invoice', 'refund'], language: 'pt-BR' };
  const created = await create({ where, when, priority: 5 });
  const { assignmentId } = created.body;
  const wanted = {
    assignmentId,
    botId: bot.botId,
    agentId,
    where,
    when: { keywords: ['invoice', 'refund'], language: 'pt-br' },
    priority: 5,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  };
  expect(created).toMatchObject({ status: 201, body: wanted });
  expect((await call('GET', `/${assignmentId}`)).body).toEqual(wanted);
  expect((await call('GET', `?botId=${bot.botId}&agentId=${agentId}`)).body).toEqual([wanted]);
  expect((await call('GET', `?agentId=${randomUUID()}`)).body).toEqual([]);
  const other = await createAgent(services, services.acme);
  const changed = await call('PUT', `/${assignmentId}`, { agentId: other, priority: -1 });
  expect(changed.body).toEqual({ ...wanted, agentId: other, priority: -1 });
  const moved = await call('PUT', `/${assignmentId}`, { where: { kind: 'private' }, when: {} });
  expect(moved.body).toMatchObject({ where: { kind: 'private' }, when: {} });
  expect(moved.body.where).not.toHaveProperty('groupId');
  expect((await call('DELETE', `/${assignmentId}`)).status).toBe(204);
  expect((await call('DELETE', `/${assignmentId}`)).status).toBe(404);
});

describe('a second one for the same place and condition', () => {
  test('is 409 for any assignee, also for simultaneous requests and changes', async () => {
    const [first, second] = await Promise.all([create({ where: { chatId } }), create({ where: { chatId } })]);
    expect([first.status, second.status].sort()).toEqual([201, 409]);
    const other = await createAgent(services, services.acme);
    const again = await create({ where: { chatId }, agentId: other, priority: 9 });
    expect(again.status).toBe(409);
    expect(again.body.error).toContain('change that one');
    const elsewhere = await create({ where: { groupId } });
    expect(elsewhere.status).toBe(201);
    const path = `/${elsewhere.body.assignmentId}`;
    expect((await call('PUT', path, { where: { chatId } })).status).toBe(409);
    expect((await call('PUT', path, { where: { groupId }, priority: 3 })).status).toBe(200);
  });

  test('is recognized in any order and case of its keywords', async () => {
    expect((await create({ when: { keywords: ['a', 'B'] } })).status).toBe(201);
    expect((await create({ when: { keywords: ['b', 'A', 'a'] } })).status).toBe(409);
    expect((await create({ when: { keywords: ['b'] } })).status).toBe(201);
  });
});

test.each([
  ['two places', { where: { chatId: randomUUID(), kind: 'group' } }],
  ['a topic without a group', { where: { threadId: '7' } }],
  ['a topic that is none', { where: { groupId: randomUUID(), threadId: 'a topic' } }],
  ['a kind that is none', { where: { kind: 'forum' } }],
  ['a language that is none', { when: { language: 'e' } }],
  ['too many keywords', { when: { keywords: Array.from({ length: 51 }, (_, index) => `k${index}`) } }],
  ['an empty keyword', { when: { keywords: [' '] } }],
  ['a keyword beyond all bounds', { when: { keywords: ['x'.repeat(101)] } }],
  ['a priority that is no whole number', { priority: 1.5 }],
  ['a priority beyond all bounds', { priority: 1001 }],
  ['no agent', { agentId: undefined }],
])('%s is 400', async (_what, body) => {
  expect((await create(body)).status).toBe(400);
});

test("another tenant's or another bot's assignment is 404, like a missing one", async () => {
  const sibling = await createBot(services, services.acme);
  const ofSibling = await placesOf(sibling);
  const ofForeign = await placesOf(foreign);
  const bodies = [
    ...[foreign.botId, randomUUID()].map((botId) => ({ botId })),
    ...[foreign.agentIds[0], randomUUID()].map((one) => ({ agentId: one })),
    ...[ofForeign.chatId, ofSibling.chatId, randomUUID()].map((one) => ({ where: { chatId: one } })),
    ...[ofForeign.groupId, ofSibling.groupId, randomUUID()].map((one) => ({ where: { groupId: one } })),
  ];
  const answers = [];
  for (const body of bodies) answers.push(await create(body));
  expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual([
    ...Array(2).fill('404 {"error":"bot not found"}'),
    ...Array(2).fill('404 {"error":"agent not found"}'),
    ...Array(3).fill('404 {"error":"chat not found"}'),
    ...Array(3).fill('404 {"error":"group not found"}'),
  ]);
});

test("another tenant's assignment is not found, not listed and not changed", async () => {
  const { assignmentId } = (await create()).body;
  const as = services.other.admin;
  expect((await call('GET', '', undefined, as)).body).toEqual([]);
  for (const id of [assignmentId, randomUUID()]) {
    expect((await call('GET', `/${id}`, undefined, as)).status).toBe(404);
    expect((await call('PUT', `/${id}`, { priority: 1 }, as)).status).toBe(404);
    expect((await call('DELETE', `/${id}`, undefined, as)).status).toBe(404);
  }
  expect((await call('GET', `/${assignmentId}`)).body.priority).toBe(0);
  expect((await call('GET', '', undefined, services.acme.member)).status).toBe(403);
});

test('the assignments of a bot are limited, also for simultaneous requests', async () => {
  await services.harness.asOwner(
    `insert into agents.bot_assignments (tenant_id, assignment_id, bot_id, agent_id, keywords, priority, fingerprint)
     select $1, gen_random_uuid(), $2, $3, '{}', 0, n::text from generate_series(1, $4) n`,
    [bot.tenantId, bot.botId, agentId, maxAssignments - 1],
  );
  const made = await Promise.all([create({ where: { chatId } }), create({ where: { groupId } })]);
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
});

test('an agent that is assigned somewhere can not be deleted', async () => {
  const assigned = await createAgent(services, services.acme);
  const { assignmentId } = (await create({ agentId: assigned })).body;
  const remove = () =>
    services.agents.call('DELETE', `/api/definitions/agents/${assigned}`, { as: services.acme.admin });
  expect(await remove()).toMatchObject({ status: 409, body: { error: expect.stringContaining(bot.botId) } });
  await call('DELETE', `/${assignmentId}`);
  expect((await remove()).status).toBe(204);
});

test('a bot that was made a moment ago can be assigned to, and a deleted one leaves nothing behind', async () => {
  const fresh = await createBot(services, services.acme);
  const made = await create({ botId: fresh.botId });
  expect(made.status).toBe(201);
  await services.tenancy.call('DELETE', `/api/bots/${fresh.tenantId}/${fresh.botId}`, {
    as: services.acme.admin,
  });
  await services.harness.settled('agents', 'tenancy');
  expect((await call('GET', `/${made.body.assignmentId}`)).status).toBe(404);
  expect((await create({ botId: fresh.botId })).status).toBe(404);
});
