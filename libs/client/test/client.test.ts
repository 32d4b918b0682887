import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../src/api-error.ts';
import { type ClientOptions, createClient } from '../src/client.ts';

const tenantId = '019ab000-0000-7000-8000-000000000001';

/** A client of a server that answers so, and what the server was asked. */
async function clientOf(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  options: Partial<ClientOptions> = {},
) {
  const requests: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    requests.push(req);
    answer(req, res);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ origin, ...options }), requests };
}

const json = (res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

test("a call resolves with the body, and sends the caller's token and tenant", async () => {
  const { client, requests } = await clientOf((_req, res) => json(res, 200, { quota: true }), {
    token: async () => 'a.b.c',
    tenantId: () => tenantId,
  });
  const quota = await client.get('/api/usage/{tenantId}/quota', { params: { path: { tenantId } } });
  expect(quota).toEqual({ quota: true });
  expect(requests[0]?.url).toBe(`/api/usage/${tenantId}/quota`);
  expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer a.b.c', 'x-tenant-id': tenantId });
});

test('without a token and a tenant neither header is sent', async () => {
  const { client, requests } = await clientOf((_req, res) => json(res, 200, []), { token: () => null });
  await client.get('/api/bots');
  expect(requests[0]?.headers).not.toHaveProperty('authorization');
  expect(requests[0]?.headers).not.toHaveProperty('x-tenant-id');
});

test('an answer without content resolves with nothing', async () => {
  const { client } = await clientOf((_req, res) => res.writeHead(204).end());
  const path = { tenantId, keyId: tenantId };
  expect(await client.delete('/api/keys/{tenantId}/{keyId}', { params: { path } })).toBeUndefined();
});

test('an error has its status, message and path', async () => {
  const issues = [{ path: 'name', message: 'is required' }];
  const { client } = await clientOf((_req, res) =>
    json(res, 400, { error: 'invalid body', issues }, { 'x-request-id': 'r-1' }),
  );
  const error = await client.post('/api/bots/tenants', { body: { name: '' } }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 400, message: 'invalid body', issues });
  expect(error).toMatchObject({ requestId: 'r-1', retryAfterSeconds: null });
});

test.each([
  ['a page of a proxy', '<h1>Bad gateway</h1>', 'the server answered 502'],
  ['nothing', '', 'the server answered 502'],
  ['JSON that is no object', 'null', 'the server answered 502'],
  ['an error without a code', '{"error":"nobody is there"}', 'nobody is there'],
])('an error that is %s has the code of its status', async (_what, body, message) => {
  const { client } = await clientOf((_req, res) => res.writeHead(502, { 'retry-after': '7' }).end(body));
  await expect(client.get('/api/bots')).rejects.toMatchObject({
    status: 502,
    message,
    issues: [],
    retryAfterSeconds: 7,
  });
});

test('a list is read page by page, with the filters of the first one', async () => {
  const { client, requests } = await clientOf((req, res) => {
    const before = new URL(req.url ?? '', 'http://x.invalid').searchParams.get('before');
    const link = '</api/interactions/chats?limit=2&before=c2>; rel="next"';
    if (before === null) json(res, 200, [{ id: 1 }, { id: 2 }], { link });
    else json(res, 200, [{ id: 3 }]);
  });
  const query = { limit: 2, platform: 'messenger' as const };
  const chats: unknown[] = [];
  for await (const chat of client.list('/api/interactions/chats', { params: { query } })) chats.push(chat);
  expect(chats).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(requests.map(({ url }) => url)).toEqual([
    '/api/interactions/chats?limit=2&platform=messenger',
    '/api/interactions/chats?limit=2&platform=messenger&before=c2',
  ]);
});

test('a page that is not needed is not requested', async () => {
  const link = '</api/bots?before=more>; rel="next"';
  const { client, requests } = await clientOf((_req, res) =>
    json(res, 200, [{ id: 1 }, { id: 2 }], { link }),
  );
  for await (const bot of client.list('/api/bots')) {
    expect(bot).toEqual({ id: 1 });
    break;
  }
  expect(requests).toHaveLength(1);
  expect(await client.page('/api/bots')).toEqual({ items: [{ id: 1 }, { id: 2 }], next: 'more' });
});

test('a stream yields events as they arrive, JSON and text, and can be resumed', async () => {
  const { client, requests } = await clientOf((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(':\n\nid: 7\nevent: message\ndata: {"text":');
    res.end('"hällo"}\n\ndata: no JSON\n\n');
  });
  const seen: unknown[] = [];
  for await (const event of client.stream('/api/events', { lastEventId: '6' })) seen.push(event);
  expect(seen).toEqual([
    { type: 'message', data: { text: 'hällo' }, id: '7' },
    { type: 'message', data: 'no JSON', id: undefined },
  ]);
  expect(requests[0]?.headers['last-event-id']).toBe('6');
});

test('a stream reports that it is open before the first event, and never when it is refused', async () => {
  const opened = Promise.withResolvers<void>();
  const quiet = await clientOf((_req, res) => res.writeHead(200).flushHeaders());
  const events = quiet.client.stream('/api/events', { onOpen: opened.resolve });
  void events.next().catch(() => {});
  await opened.promise;
  const refused = await clientOf((_req, res) => json(res, 403, { error: 'no' }));
  const onOpen = () => expect.unreachable();
  await expect(refused.client.stream('/api/events', { onOpen }).next()).rejects.toMatchObject({
    status: 403,
  });
});

test('a stream that is refused is an error, and one that is left ends its connection', async () => {
  const refused = await clientOf((_req, res) => json(res, 403, { error: 'no' }));
  await expect(refused.client.stream('/api/events').next()).rejects.toMatchObject({ status: 403 });
  const closed = Promise.withResolvers<void>();
  const endless = await clientOf((req, res) => {
    req.socket.once('close', () => closed.resolve());
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  });
  for await (const { data } of endless.client.stream('/api/try', { method: 'POST', body: { a: 1 } })) {
    expect(data).toBe(1);
    break;
  }
  await closed.promise;
});
