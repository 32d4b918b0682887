import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

/** The definition as another tenant sees it. */
const seen = async (id: string) =>
  (await other.get('/marketplace?limit=500')).find((item: { id: string }) => item.id === id);

describe.each(kinds)('publishing (%s)', (kind) => {
  const make = async () => {
    const { id } = await acme[kind]({ description: 'First.' });
    return { id, path: `${pathOfKind[kind]}/${id}` };
  };

  test('shows a definition as published, despite later changes, until it is published again', async () => {
    const { id, path } = await make();
    expect(await seen(id)).toBeUndefined();
    const published = await acme.post(`${path}/publish`);
    expect(published.publication).toEqual({ version: 1, publishedAt: expect.any(String) });
    await acme.put(path, { description: 'Second.' });
    expect(await seen(id)).toMatchObject({ kind, description: 'First.', version: 1, isOwn: false });
    expect((await acme.get(path)).publication.version).toBe(1);
    expect((await acme.post(`${path}/publish`)).publication.version).toBe(2);
    expect(await seen(id)).toMatchObject({ description: 'Second.', version: 2 });
  });

  test('publishing an unchanged definition changes nothing, also concurrently', async () => {
    const { path } = await make();
    const answers = await Promise.all(Array.from({ length: 5 }, () => acme.post(`${path}/publish`)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  test('is undone by withdrawing and by deleting; copies stay', async () => {
    const { id, path } = await make();
    await acme.post(`${path}/publish`);
    const copy = await other.post(`${path}/copy`);
    expect((await acme.post(`${path}/unpublish`)).publication).toBeNull();
    expect((await acme.post(`${path}/unpublish`)).publication).toBeNull();
    expect(await seen(id)).toBeUndefined();
    expect((await other.call('POST', `${path}/copy`)).status).toBe(404);
    expect((await acme.post(`${path}/publish`)).publication.version).toBe(1);
    expect(await seen(id)).toBeDefined();
    expect((await acme.call('DELETE', path)).status).toBe(204);
    expect(await seen(id)).toBeUndefined();
    expect((await other.call('POST', `${path}/copy`)).status).toBe(404);
    expect(await other.get(`${pathOfKind[kind]}/${copy.id}`)).toEqual(copy);
  });
});

test('a change of a part alone shows when it is published again, as a new version, also after withdrawing', async () => {
  const tool = await acme.tool({ kind: 'http_get', settings: { hosts: ['one.example.com'] } });
  const capability = await acme.capability({ toolIds: [tool.id] });
  const { id } = await acme.agent({ capabilityIds: [capability.id] });
  await acme.post(`/agents/${id}/publish`);
  await acme.put(`/tools/${tool.id}`, { settings: { hosts: ['two.example.com'] } });
  expect(await seen(id)).toMatchObject({ version: 1, hosts: ['one.example.com'] });
  await acme.post(`/agents/${id}/unpublish`);
  expect((await acme.post(`/agents/${id}/publish`)).version).toBe(2);
  expect(await seen(id)).toMatchObject({ version: 2, hosts: ['two.example.com'] });
});

test('the marketplace shows the included parts and the hosts that are read, and nothing of the tenant', async () => {
  const reader = { kind: 'http_get', settings: { hosts: ['api.example.com', 'example.org'] } };
  const [get, sum] = [await acme.tool({ ...reader, name: 'fetch_it' }), await acme.tool({ name: 'add_up' })];
  const capability = await acme.capability({ name: 'Counting', toolIds: [sum.id] });
  const { id } = await acme.agent({
    toolIds: [get.id],
    capabilityIds: [capability.id],
    instructions: 'Be kind.',
  });
  await acme.post(`/agents/${id}/publish`);
  expect(await seen(id)).toEqual({
    id,
    kind: 'agent',
    name: 'Clerk',
    description: '',
    version: 1,
    publishedAt: expect.any(String),
    isOwn: false,
    runsOn: { provider: 'openai', model: 'any' },
    capabilities: ['Counting'],
    tools: [
      { name: 'fetch_it', kind: 'http_get' },
      { name: 'add_up', kind: 'calculator' },
    ],
    hosts: ['api.example.com', 'example.org'],
  });
  const { text } = await other.call('GET', '/marketplace?limit=500');
  for (const secret of [services.acme.tenantId, get.id, sum.id, capability.id])
    expect(text).not.toContain(secret);
  expect((await acme.get('/marketplace')).every(({ isOwn }: { isOwn: boolean }) => isOwn)).toBe(true);
});

describe('unpublished content', () => {
  test.each([
    ['a provider key', 'Use sk-proj-0a1b2c3d4e5f6a7b when asked.'],
    ['a bot token', `It is 123456789:${'A1'.repeat(18)}.`],
    ['a password in an address', 'See https://admin:hunter22@intern.example.com'],
  ])('is %s, at any position: 422 with the position', async (_what, instructions) => {
    const { id } = await acme.capability({ instructions });
    const direct = await acme.call('POST', `/capabilities/${id}/publish`);
    expect([direct.status, direct.body.issues]).toMatchObject([
      422,
      [{ path: 'capabilities.0.instructions' }],
    ]);
    const agent = await acme.agent({ capabilityIds: [id] });
    const refused = await acme.call('POST', `/agents/${agent.id}/publish`);
    expect(refused.status).toBe(422);
    expect(refused.text).not.toContain(instructions);
    expect(await seen(agent.id)).toBeUndefined();
  });

  test('words of a language are no keys', async () => {
    const { id } = await acme.agent({
      instructions: 'Report key-performance-indicators to the key_account_manager.',
    });
    expect((await acme.post(`/agents/${id}/publish`)).publication).not.toBeNull();
  });

  test('includes definitions with too many hosts', async () => {
    const hosts = (from: number) => Array.from({ length: 50 }, (_, index) => `h${from + index}.example.com`);
    const tools = await Promise.all(
      [0, 50, 100].map((from) => acme.tool({ kind: 'http_get', settings: { hosts: hosts(from) } })),
    );
    const toolIds = tools.map(({ id }) => id);
    const { id } = await acme.capability({ toolIds });
    expect((await acme.call('POST', `/capabilities/${id}/publish`)).status).toBe(422);
    await acme.put(`/capabilities/${id}`, { toolIds: toolIds.slice(1) });
    expect((await seen((await acme.post(`/capabilities/${id}/publish`)).id)).hosts).toHaveLength(100);
  });

  test('are documents that a tool is bound to', async () => {
    const sourceId = crypto.randomUUID();
    await services.harness.asOwner(
      `insert into agents.context_sources (tenant_id, source_id, title, type, size_bytes, sha256, status)
       values ($1, $2, 'Prices', 'text', 1, 'x', 'ready')`,
      [services.acme.tenantId, sourceId],
    );
    const settings = { sourceIds: [sourceId], limit: 3 };
    const { id } = await acme.tool({ name: uniqueName(), kind: 'search_context', settings });
    await acme.post(`/tools/${id}/publish`);
    expect((await other.post(`/tools/${id}/copy`)).settings).toEqual({ limit: 3 });
    const own = await acme.agent({ toolIds: [id] });
    expect((await acme.post(`/agents/${own.id}/copy`)).toolIds).toEqual([id]);
  });
});
