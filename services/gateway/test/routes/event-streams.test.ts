import type { ServerResponse } from 'node:http';
import { maxStreamsOfCaller } from '@botyard/shared/http/open-streams';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let gateway: RunningGateway;
/** The service's open responses. */
const open = new Set<ServerResponse>();
const totalTimeoutMs = 1000;

beforeAll(async () => {
  gateway = await startGateway({ AUTH_DEV_MODE: 'true' }, { limits: { totalTimeoutMs, maxConnections: 2 } });
  gateway.services.agents.answer = (req, res) => {
    if (!req.url?.startsWith('/api/events')) return void res.end('{}');
    open.add(res);
    res.once('close', () => open.delete(res));
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' });
    res.write(': open\n\n');
  };
});
const controllers: AbortController[] = [];
afterEach(async () => {
  for (const controller of controllers.splice(0)) controller.abort();
  await eventually('the service sees that all have left', () => open.size === 0);
});
afterAll(() => gateway?.stop());

interface Reader {
  read: () => Promise<string>;
  close: () => void;
}

/** On a busy machine a response may begin too late for the short limit in this test: then the request is repeated. */
const listen = (init: RequestInit = {}): Promise<Reader> =>
  eventually('the stream begins', async () => {
    const controller = new AbortController();
    controllers.push(controller);
    const response = await fetch(`${gateway.url}/api/events`, { ...init, signal: controller.signal });
    if (response.status === 503 || response.status === 504) return undefined;
    expect(response.status).toBe(200);
    const parts = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    return { read: async () => (await parts.read()).value ?? '', close: () => controller.abort() };
  });

/** A response that is not a stream, once it has arrived. */
const answerOf = (path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> =>
  eventually('it is answered', async () => {
    const response = await fetch(`${gateway.url}${path}`, init);
    const text = await response.text();
    const isLate = [503, 504].includes(response.status) && !text.includes('event streams');
    return isLate ? undefined : { status: response.status, text };
  });

test('events arrive as they are sent, also after the time limit of an ordinary response', async () => {
  const reader = await listen();
  expect(await reader.read()).toBe(': open\n\n');
  const began = performance.now();
  await eventually('that time is over', () => performance.now() - began > 2 * totalTimeoutMs);
  for (const res of open) res.write('event: one\ndata: {}\n\n');
  expect(await reader.read()).toBe('event: one\ndata: {}\n\n');
});

test('Last-Event-ID and X-Tenant-Id reach the service', async () => {
  const tenantId = '01920000-0000-7000-8000-000000000001';
  await listen({ headers: { 'last-event-id': 'abc-1', 'x-tenant-id': tenantId, 'accept-encoding': 'gzip' } });
  expect(gateway.services.agents.last.headers).toMatchObject({
    'last-event-id': 'abc-1',
    'x-tenant-id': tenantId,
  });
});

test('streams take no connection away from other requests, and a client that leaves frees its own', async () => {
  await Promise.all(Array.from({ length: 5 }, () => listen()));
  // More than there are connections.
  await eventually('all are open', () => open.size === 5);
  expect((await answerOf('/api/agents')).status).toBe(200);
});

test('a request with a long body may be answered with a stream, too', async () => {
  const reader = await listen({ method: 'POST', body: 'x'.repeat(100_000) });
  expect(await reader.read()).toBe(': open\n\n');
  const began = performance.now();
  await eventually('that time is over', () => performance.now() - began > 2 * totalTimeoutMs);
  for (const res of open) res.write('event: one\ndata: {}\n\n');
  expect(await reader.read()).toBe('event: one\ndata: {}\n\n');
});

test('a caller has at most the allowed number of streams, until one ends', async () => {
  const all = await Promise.all(Array.from({ length: maxStreamsOfCaller }, () => listen()));
  const refused = await answerOf('/api/events');
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text)).toEqual({
    error: expect.stringContaining(`${maxStreamsOfCaller} event streams`),
  });
  const long = { method: 'POST', body: 'x'.repeat(100_000) };
  expect((await answerOf('/api/events', long)).status).toBe(503);
  all[0]!.close();
  await eventually('there is room again', async () => {
    const controller = new AbortController();
    controllers.push(controller);
    const { status } = await fetch(`${gateway.url}/api/events`, { signal: controller.signal });
    return status === 200;
  });
});

test('a stream that the service ends is at its end for the client', async () => {
  const reader = await listen();
  await reader.read();
  for (const res of open) res.end();
  expect(await reader.read()).toBe('');
});

test.each([
  ['a stream', {}],
  ['a stream that answers a long body', { method: 'POST', body: 'x'.repeat(20_000) }],
])('%s is not transformed on its way, and ends when the gateway is about to stop', async (_what, init) => {
  const other = await startGateway({ AUTH_DEV_MODE: 'true' });
  other.services.agents.answer = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': ['a=1', 'b=2'] });
    res.write(': open\n\n');
  };
  const response = await fetch(`${other.url}/api/events`, init);
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const stopped = other.stop();
  expect(await response.text()).toBe(': open\n\n');
  await stopped;
});
