import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, openAgentsServices } from '../../agents-services.ts';
import { Definitions, uniqueName } from '../../definition-calls.ts';

let services: AgentsServices;
let acme: Definitions;

beforeAll(async () => {
  services = await openAgentsServices();
  acme = new Definitions(services);
});

afterAll(() => services?.close());

describe('a tool definition', () => {
  test("is created with its kind's defaults, read, listed, changed and deleted", async () => {
    const created = await acme.post('/tools', { name: 'clock', kind: 'current_time' });
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenantId: services.acme.tenantId,
      name: 'clock',
      kind: 'current_time',
      description: 'Tells the date and the time of day in a time zone.',
      settings: { timeZone: 'UTC' },
      version: 1,
      copiedFrom: null,
      publication: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const path = `/tools/${created.id}`;
    expect(await acme.get(path)).toEqual(created);
    expect(await acme.get('/tools')).toContainEqual(created);
    const changed = await acme.put(path, { settings: { timeZone: 'Europe/Berlin' } });
    expect(changed).toMatchObject({ name: 'clock', settings: { timeZone: 'Europe/Berlin' }, version: 2 });
    const otherKind = await acme.call('PUT', path, { kind: 'http_get' });
    expect([otherKind.status, otherKind.body.issues]).toMatchObject([400, [{ path: 'kind' }]]);
    expect((await acme.call('DELETE', path)).status).toBe(204);
    expect((await acme.call('GET', path)).status).toBe(404);
    expect((await acme.call('DELETE', path)).status).toBe(404);
  });

  test('is stored with half a character of its settings replaced', async () => {
    const parameters = { type: 'object', 'a\ud800': { description: 'b\udc00 \\ud800 😀' } };
    const settings = { toolkit: 'mail', tool: 'MAIL_SEND', parameters };
    const { id } = await acme.post('/tools', { name: uniqueName(), kind: 'external', settings });
    expect((await acme.get(`/tools/${id}`)).settings.parameters).toEqual({
      type: 'object',
      'a\ufffd': { description: 'b\ufffd \\ud800 😀' },
    });
  });

  const hosts = (...names: unknown[]) => ({ kind: 'http_get', settings: { hosts: names } });
  test.each([
    ['a name that models refuse', { name: 'look up' }, 'name'],
    ['a name that writes backwards', { name: '\u202eevil' }, 'name'],
    ['a name of 10,000 characters', { name: 'x'.repeat(10_000) }, 'name'],
    ['an unknown kind', { kind: 'shell' }, 'kind'],
    ['the kind of an object', { kind: 'constructor' }, 'kind'],
    ['settings that are a list', { settings: [] }, 'settings'],
    ['no hosts', { kind: 'http_get' }, 'settings.hosts'],
    ['no host in the list', hosts(), 'settings.hosts'],
    ['an address for a host', hosts('https://example.com/'), 'settings.hosts.0'],
    ['a host with a port', hosts('example.com', 'example.com:22'), 'settings.hosts.1'],
    ['a network address', hosts('169.254.169.254'), 'settings.hosts.0'],
    ['too many hosts', hosts(...Array.from({ length: 51 }, (_, index) => `h${index}.com`)), 'settings.hosts'],
    [
      'a time zone that is none',
      { kind: 'current_time', settings: { timeZone: 'Mars/One' } },
      'settings.timeZone',
    ],
    [
      'a document that is none',
      { kind: 'search_context', settings: { sourceIds: ['x'] } },
      'settings.sourceIds.0',
    ],
    [
      'a document of somebody else',
      { kind: 'search_context', settings: { sourceIds: [randomUUID()] } },
      'settings.sourceIds.0',
    ],
  ])('with %s is refused with 400 that names the field', async (_what, change, field) => {
    const answer = await acme.call('POST', '/tools', { name: uniqueName(), kind: 'calculator', ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toMatchObject([{ path: field }]);
  });

  test('takes no setting that its kind does not have, and keeps hosts in one spelling', async () => {
    const settings = { hosts: ['API.Example.com '] };
    const { settings: kept } = await acme.tool({ kind: 'http_get', settings });
    expect(kept).toEqual({ hosts: ['api.example.com'] });
    const body = { name: 'odd', kind: 'http_get', settings: { ...settings, apiKey: 'sk-secret' } };
    const answer = await acme.call('POST', '/tools', body);
    expect([answer.status, answer.body.issues]).toMatchObject([
      400,
      [{ path: 'settings.apiKey', message: expect.stringMatching(/^unrecognized field/) }],
    ]);
  });

  test("is validated against its kind's settings on changes, too", async () => {
    const { id } = await acme.tool({ kind: 'http_get', settings: { hosts: ['example.com'] } });
    const answer = await acme.call('PUT', `/tools/${id}`, { settings: {} });
    expect([answer.status, answer.body.issues]).toMatchObject([400, [{ path: 'settings.hosts' }]]);
  });

  test('has a unique name in its tenant: a second one is 409, but another tenant may use it', async () => {
    const [first, second] = [await acme.tool(), await acme.tool()];
    const body = { name: first.name, kind: 'calculator' };
    expect((await acme.call('POST', '/tools', body)).status).toBe(409);
    expect((await acme.call('PUT', `/tools/${second.id}`, { name: first.name })).status).toBe(409);
    expect((await new Definitions(services, services.other).post('/tools', body)).name).toBe(first.name);
  });

  test("can't be deleted while it is in use: 409 names its users", async () => {
    const tool = await acme.tool();
    const capability = await acme.capability({ toolIds: [tool.id] });
    const agent = await acme.agent({ toolIds: [tool.id] });
    const refused = await acme.call('DELETE', `/tools/${tool.id}`);
    expect([refused.status, refused.body]).toEqual([
      409,
      {
        error:
          `the tool is in use: take it from the agent "${agent.name}" (${agent.id}), ` +
          `the capability "${capability.name}" (${capability.id}) first`,
      },
    ]);
    await acme.put(`/agents/${agent.id}`, { toolIds: [] });
    await acme.call('DELETE', `/capabilities/${capability.id}`);
    expect((await acme.call('DELETE', `/tools/${tool.id}`)).status).toBe(204);
  });
});

test('the manifest has JSON Schema of the parameters and settings of every kind', async () => {
  const manifest = await acme.get('/tools/manifest');
  const kinds = manifest.map(({ kind, needsSettings }: Record<string, unknown>) => [kind, needsSettings]);
  expect(kinds).toEqual([
    ['current_time', false],
    ['calculator', false],
    ['http_get', true],
    ['search_context', false],
    ['hand_over', false],
    ['offer_choices', false],
    ['external', true],
  ]);
  const [, , httpGet] = manifest;
  expect(httpGet.parameters).toMatchObject({ type: 'object', required: ['url'] });
  expect(httpGet.settings).toMatchObject({ type: 'object', required: ['hosts'] });
});

describe('the sync of tools', () => {
  const names = (tools: { name: string }[]) => tools.map(({ name }) => name).sort();

  test('defines tools that need no settings once, also for simultaneous requests, and reports the result', async () => {
    const other = new Definitions(services, services.other);
    await other.tool({ name: 'sums', kind: 'calculator' });
    await other.tool({ name: 'search_context', kind: 'http_get', settings: { hosts: ['example.com'] } });
    const answers = await Promise.all(Array.from({ length: 6 }, () => other.post('/tools/sync')));
    const created = answers.flatMap((answer) => answer.created);
    expect(names(created)).toEqual(['current_time', 'hand_over', 'offer_choices', 'search_context_2']);
    const again = await other.post('/tools/sync');
    expect([again.created, again.updated]).toEqual([[], []]);
    expect(names(again.unchanged)).toEqual(
      expect.arrayContaining(['current_time', 'search_context_2', 'sums']),
    );
  });

  test('gives a tool the settings that its kind has got since', async () => {
    const { id, name } = await acme.tool({ kind: 'current_time' });
    const keep = (settings: string) =>
      services.harness.asOwner('update agents.tool_definitions set settings = $1 where id = $2', [
        settings,
        id,
      ]);
    await keep('{}');
    const { updated } = await acme.post('/tools/sync');
    expect(updated).toEqual([{ id, name, kind: 'current_time' }]);
    expect(await acme.get(`/tools/${id}`)).toMatchObject({ settings: { timeZone: 'UTC' }, version: 2 });
  });
});

describe('the available tools', () => {
  test('are those of the tenant and the kinds that it has none of, each with why it can not be used', async () => {
    const people = new Definitions(services, services.other);
    const { id } = await people.tool({ kind: 'search_context' });
    const find = async (kind: string) =>
      (await people.get('/tools/available')).filter((tool: { kind: string }) => tool.kind === kind);
    const [search] = (await find('search_context')).filter((tool: { id: string }) => tool.id === id);
    expect(search).toMatchObject({
      available: false,
      reason: 'there is no document to search that is ready',
    });
    await services.harness.asOwner(
      `insert into agents.context_sources (tenant_id, source_id, title, type, size_bytes, sha256, status)
       values ($1, $2, 'Prices', 'text', 1, 'x', 'ready')`,
      [services.other.tenantId, randomUUID()],
    );
    expect(await find('search_context')).toContainEqual(
      expect.objectContaining({ id, available: true, reason: null }),
    );
    const fresh = (await acme.get('/tools/available')).filter(
      (tool: { id: string | null }) => tool.id === null,
    );
    for (const tool of fresh) expect(tool).toMatchObject({ available: false, reason: /POST/ });
  });
});
