import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeToolName } from '../../../src/definitions/domain/tool-names.ts';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Definitions, kinds, pathOfKind, uniqueName } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;
let other: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
  other = new Definitions(services, services.other);
});

afterAll(() => services?.close());

/** An agent of Acme with a tool of its own, and a capability with that and another one; published. */
async function publishedAgent(names = [uniqueName(), uniqueName()]) {
  const reader = await acme.tool({
    name: names[0],
    kind: 'http_get',
    description: 'Reads prices.',
    settings: { hosts: ['example.com'] },
  });
  const sums = await acme.tool({ name: names[1] });
  const capability = await acme.capability({ name: `Counts ${names[1]}`, toolIds: [sums.id, reader.id] });
  const agent = await acme.agent({
    instructions: '\u202eHelp 👩‍👩‍👧‍👦.',
    keywords: ['price'],
    toolIds: [reader.id],
    capabilityIds: [capability.id],
  });
  await acme.post(`/agents/${agent.id}/publish`);
  return { agent, capability, tools: [reader, sums], names };
}

const countsOf = async (people: Definitions) => (await people.get('/health')).counts;

describe('a copy of an agent', () => {
  test('has everything that it needs in the active tenant, and names its origin', async () => {
    const { agent, capability, names } = await publishedAgent();
    const copy = await other.post(`/agents/${agent.id}/copy`);
    const copiedFrom = { definitionId: agent.id, version: 1 };
    const { id, name, instructions, keywords, provider, model } = agent;
    expect(copy).toMatchObject({
      name,
      instructions,
      keywords,
      provider,
      model,
      copiedFrom,
      publication: null,
      hasDraft: false,
    });
    expect([copy.tenantId, copy.version]).toEqual([services.other.tenantId, 1]);
    const tools = await other.get(`/agents/${copy.id}/tools`);
    expect(tools).toMatchObject([
      { name: names[0], description: 'Reads prices.', settings: { hosts: ['example.com'] }, copiedFrom },
    ]);
    const [bundle] = await other.get(`/agents/${copy.id}/capabilities`);
    expect(bundle).toMatchObject({
      name: capability.name,
      instructions: capability.instructions,
      copiedFrom,
    });
    expect(bundle.toolIds).toHaveLength(2);
    expect(bundle.toolIds[1]).toBe(tools[0].id);
    const originals = [id, capability.id, ...capability.toolIds];
    expect(originals).not.toEqual(expect.arrayContaining([copy.id]));
    expect(JSON.stringify([tools, bundle])).not.toContain(services.acme.tenantId);
  });

  test('does not change when the original, or a part of it, changes, is published again or is deleted', async () => {
    const { agent, tools } = await publishedAgent();
    const copy = await other.post(`/agents/${agent.id}/copy`);
    const look = async () => [
      await other.get(`/agents/${copy.id}`),
      await other.get(`/agents/${copy.id}/tools`),
      await other.get(`/agents/${copy.id}/capabilities`),
    ];
    const before = await look();
    await acme.put(`/agents/${agent.id}`, { instructions: 'Lie.' });
    await acme.put(`/tools/${tools[0].id}`, { settings: { hosts: ['evil.example.com'] } });
    await acme.post(`/agents/${agent.id}/publish`);
    await acme.call('DELETE', `/agents/${agent.id}`);
    expect(await look()).toEqual(before);
  });

  test('is of the published version, not of the current original', async () => {
    const { agent, tools } = await publishedAgent();
    await acme.put(`/agents/${agent.id}`, { instructions: 'Lie.', toolIds: [], capabilityIds: [] });
    await acme.put(`/tools/${tools[0].id}`, { settings: { hosts: ['evil.example.com'] } });
    const copy = await other.post(`/agents/${agent.id}/copy`);
    expect([copy.instructions, copy.copiedFrom.version]).toEqual([agent.instructions, 1]);
    expect((await other.get(`/agents/${copy.id}/tools`))[0].settings.hosts).toEqual(['example.com']);
  });

  test('shares the parts that the tenant has in exactly the same form, and only those', async () => {
    const { agent } = await publishedAgent();
    const first = await other.post(`/agents/${agent.id}/copy`);
    const before = await countsOf(other);
    const second = await other.post(`/agents/${agent.id}/copy`);
    expect(await countsOf(other)).toEqual({ ...before, agents: before.agents + 1 });
    expect([second.toolIds, second.capabilityIds]).toEqual([first.toolIds, first.capabilityIds]);
    await other.put(`/tools/${first.toolIds[0]}`, { settings: { hosts: ['mine.example.com'] } });
    const third = await other.post(`/agents/${agent.id}/copy`);
    expect(third.toolIds).not.toEqual(first.toolIds);
    expect((await other.get(`/tools/${third.toolIds[0]}`)).settings.hosts).toEqual(['example.com']);
  });

  test('renames a tool whose name is taken', async () => {
    const [taken, free] = [uniqueName(), uniqueName()];
    await other.tool({ name: taken, kind: 'current_time' });
    const { agent } = await publishedAgent([taken, free]);
    const copy = await other.post(`/agents/${agent.id}/copy`);
    expect((await other.get(`/agents/${copy.id}/tools`))[0].name).toBe(`${taken}_2`);
  });

  test('is complete or does not exist', async () => {
    const { agent } = await publishedAgent();
    const before = await countsOf(other);
    // The last step of a copy fails: one agent more than a tenant may have.
    await services.harness.asOwner(
      `insert into agents.agent_definitions (tenant_id, id, name, description, instructions, provider, model, keywords)
       select $1, gen_random_uuid(), 'x', 'filler', 'x', 'openai', 'x', '{}' from generate_series(1, 500)`,
      [services.other.tenantId],
    );
    expect((await other.call('POST', `/agents/${agent.id}/copy`)).status).toBe(409);
    await services.harness.asOwner("delete from agents.agent_definitions where description = 'filler'");
    expect(await countsOf(other)).toEqual(before);
  });

  test('is created once for each call, also for simultaneous calls, with one set of tools', async () => {
    const { agent } = await publishedAgent();
    const copies = await Promise.all(Array.from({ length: 5 }, () => other.post(`/agents/${agent.id}/copy`)));
    expect(new Set(copies.map(({ id }) => id)).size).toBe(5);
    expect(new Set(copies.map(({ toolIds }) => toolIds[0])).size).toBe(1);
  });
});

describe.each(kinds)('an own definition (%s)', (kind) => {
  test('is copied in its current state while it is not published, sharing its parts', async () => {
    const tool = await acme.tool();
    const { id, ...given } = await acme[kind](kind === 'tool' ? {} : { toolIds: [tool.id] });
    await acme.put(`${pathOfKind[kind]}/${id}`, { description: 'Changed.' });
    const copy = await acme.post(`${pathOfKind[kind]}/${id}/copy`);
    expect(copy).toMatchObject({ description: 'Changed.', copiedFrom: { definitionId: id, version: 2 } });
    expect(copy.id).not.toBe(id);
    if (kind === 'tool') expect(copy.name).toBe(`${given.name}_2`);
    else expect(copy.toolIds).toEqual([tool.id]);
  });
});

describe('copying is refused', () => {
  test.each(kinds)(
    'for unpublished definitions of other tenants, and for one kind as another (%s)',
    async (kind) => {
      const { id } = await acme[kind]();
      const copy = (ofKind: (typeof kinds)[number], what = id) =>
        other.call('POST', `${pathOfKind[ofKind]}/${what}/copy`);
      const missing = await copy(kind, randomUUID());
      expect([missing.status, (await copy(kind)).text]).toEqual([404, missing.text]);
      await acme.post(`${pathOfKind[kind]}/${id}/publish`);
      for (const another of kinds.filter((one) => one !== kind))
        expect((await copy(another)).status).toBe(404);
    },
  );

  test('a part of a publication by its own identifier', async () => {
    const { capability, tools } = await publishedAgent();
    expect((await other.call('POST', `/capabilities/${capability.id}/copy`)).status).toBe(404);
    expect((await other.call('POST', `/tools/${tools[0].id}/copy`)).status).toBe(404);
  });
});

test('a tool whose published settings fit its kind no longer is not copied', async () => {
  const { id } = await acme.tool();
  await acme.post(`/tools/${id}/publish`);
  await services.harness.asOwner(
    `update agents.publications set content = jsonb_set(content, '{tools,0,kind}', '"gone"') where id = $1`,
    [id],
  );
  expect((await other.call('POST', `/tools/${id}/copy`)).status).toBe(409);
});

test.each([
  ['free', ['other'], 'free'],
  ['taken', ['taken', 'taken_2'], 'taken_3'],
  ['x'.repeat(64), ['x'.repeat(64)], `${'x'.repeat(62)}_2`],
])('a tool to be named %s, where %j are taken, is %s', (wanted, taken, name) => {
  expect(freeToolName(wanted, new Set(taken))).toBe(name);
});
