import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Definitions, kinds, pathOfKind } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;
let other: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
  other = new Definitions(services, services.other);
});

afterAll(() => services?.close());

describe('a capability', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const tool = await acme.tool();
    const body = {
      name: 'Sums',
      description: 'Adds.',
      instructions: 'Add.',
      keywords: ['sum'],
      toolIds: [tool.id],
    };
    const created = await acme.post('/capabilities', body);
    expect(created).toMatchObject({
      ...body,
      tenantId: services.acme.tenantId,
      version: 1,
      publication: null,
    });
    const path = `/capabilities/${created.id}`;
    expect(await acme.get(path)).toEqual(created);
    expect(await acme.get('/capabilities')).toContainEqual(created);
    expect(await acme.put(path, { toolIds: [] })).toMatchObject({ ...body, toolIds: [], version: 2 });
    expect((await acme.call('DELETE', path)).status).toBe(204);
    expect((await acme.call('GET', path)).status).toBe(404);
  });

  test("can't be deleted while an agent has it: 409 names the agent", async () => {
    const { id } = await acme.capability();
    const agent = await acme.agent({ capabilityIds: [id] });
    const refused = await acme.call('DELETE', `/capabilities/${id}`);
    expect(refused.status).toBe(409);
    const error = `the capability is in use: take it from the agent "${agent.name}" (${agent.id}) first`;
    expect(refused.body).toEqual({ error });
  });
});

describe("an agent's equipment", () => {
  test('is listed in its order, and survives a change of something else', async () => {
    const [first, second] = [await acme.tool(), await acme.tool()];
    const capability = await acme.capability({ toolIds: [first.id] });
    const toolIds = [second.id, first.id];
    const agent = await acme.agent({ toolIds, capabilityIds: [capability.id] });
    await acme.put(`/agents/${agent.id}`, { name: 'Renamed' });
    expect(await acme.get(`/agents/${agent.id}/tools`)).toEqual([second, first]);
    expect(await acme.get(`/agents/${agent.id}/capabilities`)).toEqual([capability]);
  });

  test('has to belong to the tenant: a foreign part looks like a missing one', async () => {
    const foreign = await other.tool();
    const own = await acme.tool();
    const issueOf = async (path: string, body: object) => {
      const { status, body: answer } = await acme.call('POST', path, body);
      return [status, answer.issues];
    };
    const agent = { name: 'A', instructions: 'Help.', provider: 'openai', model: 'any' };
    const due = [400, [{ path: 'toolIds.1', message: 'is not a tool of this tenant' }]];
    for (const id of [foreign.id, randomUUID()]) {
      expect(await issueOf('/agents', { ...agent, toolIds: [own.id, id] })).toEqual(due);
      expect(await issueOf('/capabilities', { name: 'C', toolIds: [own.id, id] })).toEqual(due);
    }
    const { id } = await acme.agent();
    const put = await acme.call('PUT', `/agents/${id}`, { capabilityIds: [randomUUID()] });
    expect([put.status, put.body.issues]).toMatchObject([400, [{ path: 'capabilityIds.0' }]]);
  });

  test.each([
    ['an agent with 33 tools', '/agents', { toolIds: 33 }, 'toolIds'],
    ['an agent with 9 capabilities', '/agents', { capabilityIds: 9 }, 'capabilityIds'],
    ['a capability with 13 tools', '/capabilities', { toolIds: 13 }, 'toolIds'],
  ])('is bounded: %s is refused', async (_what, path, counts, field) => {
    const lists = Object.entries(counts).map(([name, length]) => [
      name,
      Array.from({ length }, () => randomUUID()),
    ]);
    const model = path === '/agents' ? { provider: 'openai', model: 'any' } : {};
    const body = { name: 'A', instructions: 'Help.', ...model };
    const answer = await acme.call('POST', path, { ...body, ...Object.fromEntries(lists) });
    expect([answer.status, answer.body.issues]).toMatchObject([400, [{ path: field }]]);
  });

  test('names nothing twice', async () => {
    const { id } = await acme.tool();
    const answer = await acme.call('POST', '/capabilities', {
      name: 'Twice',
      toolIds: [id, id.toUpperCase()],
    });
    expect([answer.status, answer.body.issues]).toMatchObject([400, [{ path: 'toolIds' }]]);
  });
});

describe.each(kinds)('the version of a definition (%s)', (kind) => {
  test('grows with a change, and not with one that changes nothing', async () => {
    const { id, name } = await acme[kind]();
    const path = `${pathOfKind[kind]}/${id}`;
    expect((await acme.put(path, { description: 'Another one.' })).version).toBe(2);
    const again = await acme.put(path, { name, description: 'Another one.' });
    expect(again.version).toBe(2);
    expect(await acme.put(path, {})).toEqual(again);
    expect((await acme.put(path, { description: '' })).version).toBe(3);
  });
});

describe.each(kinds)('a definition (%s)', (kind) => {
  test('is written by an admin and read by a member of its tenant; elsewhere it looks missing', async () => {
    const path = pathOfKind[kind];
    const { id } = await acme[kind]();
    const { member } = services.acme;
    expect((await acme.call('GET', `${path}/${id}`, undefined, member)).status).toBe(200);
    for (const [method, end, body] of [
      ['POST', '', {}],
      ['PUT', `/${id}`, {}],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/publish`, undefined],
      ['POST', `/${id}/unpublish`, undefined],
      ['POST', `/${id}/copy`, undefined],
    ] as const) {
      expect([method, end, (await acme.call(method, path + end, body, member)).status]).toEqual([
        method,
        end,
        403,
      ]);
      if (end === '') continue;
      const [foreign, missing] = [
        await other.call(method, path + end, body),
        await other.call(method, path + end.replace(id, randomUUID()), body),
      ];
      expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    }
    expect((await acme.get(`${path}/${id}`)).version).toBe(1);
  });
});

test.each([
  [
    'agent',
    500,
    'insert into agents.agent_definitions (tenant_id, id, name, description, instructions, provider, model, keywords)',
  ],
  [
    'capability',
    200,
    'insert into agents.capability_definitions (tenant_id, id, name, description, instructions, keywords)',
  ],
  ['tool', 200, 'insert into agents.tool_definitions (tenant_id, id, name, description, kind, settings)'],
] as const)('a tenant has so many of a kind and no more: %s, %i', async (kind, most, insert) => {
  const values = {
    agent: `'x', '', 'x', 'openai', 'x', '{}'`,
    capability: `'x', '', '', '{}'`,
    tool: `'many_' || number, '', 'calculator', '{}'`,
  };
  const before = (await other.get('/health')).counts[kind === 'capability' ? 'capabilities' : `${kind}s`];
  await services.harness.asOwner(
    `${insert} select $1, gen_random_uuid(), ${values[kind]} from generate_series(1, $2::int) number`,
    [services.other.tenantId, most - 1 - before],
  );
  await other[kind]();
  await expect(other[kind]()).rejects.toThrow(/409 .*at most/);
  const published = await acme[kind]();
  await acme.post(`${pathOfKind[kind]}/${published.id}/publish`);
  expect((await other.call('POST', `${pathOfKind[kind]}/${published.id}/copy`)).status).toBe(409);
});
