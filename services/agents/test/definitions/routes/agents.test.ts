import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, createAgent, createBot, openAgentsServices } from '../../agents-services.ts';

let services: AgentsServices;
const path = '/api/definitions/agents';
const body = { name: 'Support', instructions: 'Help.', provider: 'private-llm', model: 'default' };

beforeAll(async () => {
  services = await openAgentsServices();
});

afterAll(() => services?.close());

const call = (method: string, end = '', given?: unknown, as = services.acme.admin) =>
  services.agents.call(method, `${path}${end}`, { as, body: given });

describe('an agent definition', () => {
  test('is created with its defaults, read, listed and deleted', async () => {
    const created = await call('POST', '', body);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...body,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenantId: services.acme.tenantId,
      description: '',
      keywords: [],
      toolIds: [],
      capabilityIds: [],
      serverIds: [],
      keepsSummary: false,
      modelSettings: {},
      copiedFrom: null,
      publication: null,
      hasDraft: false,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const end = `/${created.body.id}`;
    expect((await call('GET', end)).body).toEqual(created.body);
    expect((await call('GET')).body).toContainEqual(created.body);
    expect((await call('DELETE', end)).status).toBe(204);
    expect((await call('GET', end)).status).toBe(404);
    expect((await call('DELETE', end)).status).toBe(404);
  });

  test.each([
    ['no instructions', { instructions: undefined }, 'instructions'],
    ['an unknown provider', { provider: 'mistral' }, 'provider'],
    ['a name of 10,000 characters', { name: 'ن'.repeat(10_000) }, 'name'],
    ['an empty keyword', { keywords: [' '] }, 'keywords.0'],
    ['keywords that are no list', { keywords: 'refund' }, 'keywords'],
    ['an empty model', { model: '' }, 'model'],
  ])('with %s is refused with 400 that names the field', async (_what, change, field) => {
    const answer = await call('POST', '', { ...body, ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toMatchObject([{ path: field }]);
  });

  test.each(['\u202eevil', '👩‍👩‍👧‍👦', "'); drop table agents.agent_definitions;--"])(
    'keeps the text %j as it was given',
    async (text) => {
      const answer = await call('POST', '', { ...body, name: text, keywords: [text], instructions: text });
      expect(answer.body).toMatchObject({ name: text, keywords: [text], instructions: text });
    },
  );

  test('with U+0000 in it is refused with 400', async () => {
    expect((await call('POST', '', { ...body, instructions: 'a\0b' })).status).toBe(400);
  });

  test("can't be deleted while bots use it: 409 names them", async () => {
    const id = await createAgent(services, services.acme);
    const bot = await createBot(services, services.acme, { agentIds: [id], name: 'Its bot' });
    await services.harness.settled('agents', 'tenancy');
    const refused = await call('DELETE', `/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body).toEqual({
      error: `the agent is in use: take it from the bot "Its bot" (${bot.botId}) first`,
    });
    await services.tenancy.call('DELETE', `/api/bots/${bot.tenantId}/${bot.botId}`, {
      as: services.acme.admin,
    });
    await services.harness.settled('agents', 'tenancy');
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
  });

  test('is 404 for another tenant, like a missing one, and in no other list', async () => {
    const id = await createAgent(services, services.other);
    for (const method of ['GET', 'DELETE']) {
      const answers = [await call(method, `/${id}`), await call(method, `/${randomUUID()}`)];
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
    }
    expect((await call('GET', '/nope')).status).toBe(404);
    const listed = (await call('GET', '?limit=500')).body.map((agent: { id: string }) => agent.id);
    expect(listed).not.toContain(id);
    expect((await call('GET', `/${id}`, undefined, services.other.admin)).status).toBe(200);
  });

  test('belongs to the active tenant, for any tenantId or id in the body', async () => {
    const claimed = { tenantId: services.other.tenantId, id: randomUUID() };
    const created = await call('POST', '', { ...body, ...claimed });
    expect(created.body.tenantId).toBe(services.acme.tenantId);
    expect(created.body.id).not.toBe(claimed.id);
  });

  test('may be read by a member and written by an admin only', async () => {
    const { member, stranger } = services.acme;
    const id = await createAgent(services, services.acme);
    expect((await call('GET', '', undefined, member)).status).toBe(200);
    expect((await call('GET', `/${id}`, undefined, member)).status).toBe(200);
    expect((await call('POST', '', body, member)).status).toBe(403);
    expect((await call('DELETE', `/${id}`, undefined, member)).status).toBe(403);
    expect((await call('GET', '', undefined, stranger)).status).toBe(400);
  });

  test('is listed in pages, the newest first', async () => {
    const people = services.other;
    const created: string[] = [];
    for (let count = 0; count < 3; count += 1) created.push(await createAgent(services, people));
    const first = await call('GET', '?limit=2', undefined, people.admin);
    expect(first.body.map(({ id }: { id: string }) => id)).toEqual(created.toReversed().slice(0, 2));
    const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await services.agents.call('GET', next!, { as: people.admin });
    expect(second.body[0].id).toBe(created[0]);
  });
});
