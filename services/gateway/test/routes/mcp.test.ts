import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

const ours = 'https://bots.example.com';
const tenantId = '01920000-0000-7000-8000-000000000001';
const chatId = '01920000-0000-7000-8000-000000000002';
let idp: FakeIdp;
let gateway: RunningGateway;
let clients: Client[] = [];

beforeEach(async () => {
  idp = await startFakeIdp();
  gateway = await startGateway({ IDP_ISSUER: idp.issuer, PUBLIC_BASE_URL: ours, IDP_ACCESS_TOKENS: 'true' });
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
  await gateway.stop();
  await idp.close();
});

const bearer = async (scope = 'botyard:read botyard:write', userId = 'user_1') =>
  `Bearer ${await idp.accessToken({ userId, scope, resource: `${ours}/api/mcp` })}`;

async function connect(scope?: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: await bearer(scope), ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/api/mcp`), { requestInit }));
  clients.push(client);
  return client;
}

const textOf = (result: unknown) =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n');

async function post(body: unknown, headers: Record<string, string> = {}, method = 'POST') {
  const response = await fetch(`${gateway.url}/api/mcp`, {
    method,
    headers: {
      authorization: await bearer(),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const callOf = (name: string, args: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('each tool has a unique name, a description, a schema, and says whether it only reads', async () => {
  const { tools } = await (await connect()).listTools();
  expect(tools.length).toBeGreaterThanOrEqual(20);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  for (const { name, description, inputSchema, annotations } of tools) {
    expect(name).toMatch(/^[a-z_]{1,64}$/);
    expect(description).toBeTruthy();
    expect(inputSchema.properties).not.toHaveProperty('tenantId');
    expect(typeof annotations?.readOnlyHint).toBe('boolean');
  }
});

test.each(['legacy', { pin: '2026-07-28' }] as const)('a client of the era %s is answered', async (mode) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: await bearer() } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/api/mcp`), { requestInit }));
  clients.push(client);
  expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(20);
  await client.callTool({ name: 'list_chats', arguments: {} });
  expect(gateway.services.agents.last.url).toBe('/api/interactions/chats');
});

test('a tool is the request of the caller: path, query, body, identity, tenant and address', async () => {
  const client = await connect(undefined, { 'x-tenant-id': tenantId });
  await client.callTool({ name: 'list_chats', arguments: { state: 'open', limit: 5 } });
  const { last } = gateway.services.agents;
  expect(last).toMatchObject({ method: 'GET', url: '/api/interactions/chats?limit=5&state=open' });
  expect(last.headers).toMatchObject({ 'x-tenant-id': tenantId, 'x-forwarded-for': '127.0.0.1' });
  expect(last.headers).not.toHaveProperty('authorization');
  expect(await gateway.identityOf(last, 'agents')).toMatchObject({ idpUserId: 'user_1', isOperator: false });
  await client.callTool({ name: 'write_message', arguments: { chatId, text: 'Hello' } });
  expect(gateway.services.agents.last).toMatchObject({
    method: 'POST',
    url: `/api/interactions/chats/${chatId}/messages`,
    body: '{"text":"Hello"}',
  });
});

describe('the tenant', () => {
  test('is that of the header, for a route that has it in its path', async () => {
    const client = await connect(undefined, { 'x-tenant-id': tenantId });
    await client.callTool({ name: 'get_quota', arguments: {} });
    expect(gateway.services.usage.last.url).toBe(`/api/usage/${tenantId}/quota`);
    await client.callTool({ name: 'list_bots', arguments: {} });
    expect(gateway.services.tenancy.last.url).toBe(`/api/bots?tenantId=${tenantId}`);
  });

  test('is otherwise the active one of the caller', async () => {
    gateway.services.tenancy.answer = (_req, res) => {
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ activeTenantId: tenantId }));
    };
    await (await connect()).callTool({ name: 'list_keys', arguments: {} });
    expect(gateway.services.keys.last.url).toBe(`/api/keys/${tenantId}`);
  });

  test('is never an argument', async () => {
    const client = await connect(undefined, { 'x-tenant-id': tenantId });
    const result = await client.callTool({ name: 'get_quota', arguments: { tenantId: chatId } });
    expect(result.isError).toBe(true);
    expect(gateway.services.usage.arrivals).toEqual([]);
  });

  test('is needed: without one the caller is told how to name it', async () => {
    const result = await (await connect()).callTool({ name: 'get_quota', arguments: {} });
    expect(textOf(result)).toContain('X-Tenant-Id');
  });
});

test.each(['../keys', 'a/b', '..', '%2e%2e', 'a?b=c', 'a#b', '', 7, null, { a: 1 }])(
  'an identifier that is a path reaches no service: %j',
  async (id) => {
    const result = await (await connect()).callTool({ name: 'get_chat', arguments: { chatId: id } });
    expect(result.isError).toBe(true);
    expect(gateway.services.agents.arrivals).toEqual([]);
  },
);

test('a refusal of the service is a result that a model can read', async () => {
  gateway.services.agents.answer = (_req, res) => {
    res.statusCode = 404;
    res.end(JSON.stringify({ error: 'chat not found' }));
  };
  const result = await (await connect()).callTool({ name: 'get_chat', arguments: { chatId } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe('{"error":"chat not found"}');
});

test('a list says how its next page is read', async () => {
  gateway.services.agents.answer = (_req, res) => {
    res.setHeader('link', '</api/interactions/chats?before=abc%3D&limit=5>; rel="next"');
    res.end('[]');
  };
  expect(textOf(await (await connect()).callTool({ name: 'list_chats', arguments: {} }))).toContain(
    'before=abc=',
  );
});

test('an answer that is too long is refused, and a service that fails is named no further', async () => {
  const client = await connect();
  gateway.services.agents.answer = (_req, res) => res.end('x'.repeat(1024 * 1024 + 1));
  const long = await client.callTool({ name: 'list_chats', arguments: {} });
  expect(textOf(long)).toContain('too long');
  gateway.services.agents.answer = (_req, res) => res.destroy();
  const broken = await client.callTool({ name: 'list_chats', arguments: {} });
  expect(textOf(broken)).toBe('{"error":"the service is not available"}');
});

test('trying an agent returns its last event', async () => {
  gateway.services.agents.answer = (_req, res) => {
    res.setHeader('content-type', 'text/event-stream');
    res.end('event: delta\ndata: {"text":"Hel"}\n\nevent: done\ndata: {"text":"Hello"}\n\n');
  };
  const messages = [{ role: 'user', text: 'Hi' }];
  const result = await (await connect()).callTool({
    name: 'try_agent',
    arguments: { agentId: chatId, messages },
  });
  expect(textOf(result)).toBe('{"text":"Hello"}');
});

describe('a token that only reads', () => {
  test('is offered, and can call, reading tools only', async () => {
    const client = await connect('botyard:read');
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    expect((await client.callTool({ name: 'list_chats', arguments: {} })).isError).toBeFalsy();
  });

  test('gets 403 with the missing scope for any other tool, and no service is called', async () => {
    const { tools } = await (await connect()).listTools();
    const authorization = await bearer('botyard:read');
    for (const { name } of tools.filter(({ annotations }) => !annotations?.readOnlyHint)) {
      const { status, headers, text } = await post(callOf(name), { authorization });
      expect([name, status, Object.keys(JSON.parse(text))]).toEqual([name, 403, ['error']]);
      expect(headers.get('www-authenticate')).toContain('insufficient_scope');
    }
    expect(gateway.arrivals()).toEqual([]);
  });
});

describe('hostile requests', () => {
  test.each([
    ['a list of messages', [callOf('list_chats')]],
    ['no JSON', '{'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['nothing', ''],
    ['endless nesting', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`],
  ])('%s is 400', async (_what, body) => {
    const { status, text } = await post(body);
    expect([status, Object.keys(JSON.parse(text))]).toEqual([400, ['error']]);
  });

  test('a body that is too large, has too many values, is compressed, or is no JSON by its type', async () => {
    expect((await post(callOf('list_chats', { q: 'x'.repeat(256 * 1024) }))).status).toBe(413);
    expect((await post({ list: Array.from({ length: 30_000 }, () => 1) })).status).toBe(413);
    expect((await post(callOf('list_chats'), { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post(callOf('list_chats'), { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test('a page of another origin is refused, our own is not', async () => {
    for (const origin of ['https://attacker.test', 'null', `${ours}.attacker.test`])
      expect((await post(callOf('list_chats'), { origin })).status).toBe(403);
    expect((await post(callOf('list_chats'), { origin: ours })).status).toBe(200);
  });

  test('GET and DELETE are 405; without a token everything is 401', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) expect((await post('', {}, method)).status).toBe(405);
    for (const method of ['GET', 'DELETE', 'POST'])
      expect((await post('', { authorization: 'Bearer x' }, method)).status).toBe(401);
  });

  test('an unknown tool, an unknown method and a subscription are errors of the protocol', async () => {
    for (const message of [
      callOf('drop_tables'),
      callOf('__proto__'),
      { ...callOf('x'), method: 'nothing/here' },
    ])
      expect((await post(message)).text).toContain('"error"');
    const listen = { ...callOf('x'), method: 'subscriptions/listen' };
    const { status, text } = await post(listen, { 'mcp-protocol-version': '2026-07-28' });
    expect([status, JSON.parse(text)]).toMatchObject([404, { id: 1, error: { code: -32601 } }]);
    expect(gateway.arrivals()).toEqual([]);
  });
});

test('two callers at once each act as themselves', async () => {
  const people = ['user_1', 'user_2', 'user_3'];
  await Promise.all(
    people.map(async (person) => {
      const authorization = await bearer('botyard:read', person);
      await post(callOf('list_chats', { q: person }), { authorization });
    }),
  );
  for (const arrival of gateway.services.agents.arrivals) {
    const identity = await gateway.identityOf(arrival, 'agents');
    expect(arrival.url).toContain((identity as { idpUserId: string }).idpUserId);
  }
});
