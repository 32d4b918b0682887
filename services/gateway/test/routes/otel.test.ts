import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

interface Taken {
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const taken: Taken[] = [];
let answer: (res: ServerResponse) => void;
const collector = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    taken.push({ url: req.url ?? '', headers: req.headers, body: Buffer.concat(chunks).toString() });
    answer(res);
  });
});
let gateway: RunningGateway;

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  gateway = await startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/base` });
});
afterAll(async () => {
  await gateway?.stop();
  collector.closeAllConnections();
  collector.close();
});
beforeEach(() => {
  taken.length = 0;
  answer = (res) => res.setHeader('content-type', 'application/json').end('{}');
});

const json = { 'content-type': 'application/json' };
const post = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.url}${path}`, { method: 'POST', headers: json, body: '{"resourceSpans":[]}', ...init });

test.each(['traces', 'metrics', 'logs'])(
  '%s reach the collector, without anything of the caller',
  async (what) => {
    const got = await post(`/api/otel/v1/${what}?x=1`, {
      headers: {
        ...json,
        authorization: 'Bearer canary',
        cookie: 'session=canary',
        'x-forwarded-for': '1.2.3.4',
        'x-api-key': 'canary',
        'user-agent': 'canary',
      },
    });
    expect([got.status, await got.text()]).toEqual([200, '{}']);
    expect(taken).toHaveLength(1);
    expect(taken[0]).toMatchObject({ url: `/base/v1/${what}`, body: '{"resourceSpans":[]}' });
    expect(JSON.stringify(taken[0]?.headers)).not.toMatch(/canary|1\.2\.3\.4/);
  },
);

test('packed and binary telemetry arrives as it was', async () => {
  const packed = { ...json, 'content-encoding': 'gzip' };
  expect((await post('/api/otel/v1/traces', { headers: packed, body: gzipSync('{"a":1}') })).status).toBe(
    200,
  );
  const binary = { 'content-type': 'application/x-protobuf' };
  expect((await post('/api/otel/v1/traces', { headers: binary, body: new Uint8Array([10, 0]) })).status).toBe(
    200,
  );
  expect(taken.map(({ body }) => body)).toEqual(['{"a":1}', '\n\0']);
  expect(taken[0]?.headers['content-encoding']).toBeUndefined();
});

test.each([
  ['/api/otel', 404],
  ['/api/otel/v1/profiles', 404],
  ['/api/otel/v1/traces/x', 404],
  ['/api/otelx/v1/traces', 401],
  ['/api/otel/v1/..%2fadmin', 400],
])('%s is %s and is not passed on', async (path, status) => {
  expect((await post(path)).status).toBe(status);
  expect(taken).toEqual([]);
});

test('accepts only POST; OPTIONS is answered, and allows no other origin', async () => {
  expect((await fetch(`${gateway.url}/api/otel/v1/traces`)).status).toBe(405);
  const answer = await post('/api/otel/v1/traces', { method: 'OPTIONS', body: null });
  expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(taken).toEqual([]);
});

describe('a hostile body', () => {
  test.each([
    ['text/plain', undefined, 415],
    ['application/json; charset=utf-16', undefined, 415],
    ['application/json', 'br', 415],
    ['application/json', 'gzip, gzip', 415],
    ['application/json', 'gzip', 400],
  ])('of type %s, compressed as %s, is %s', async (type, encoding, status) => {
    const headers = { 'content-type': type, ...(encoding ? { 'content-encoding': encoding } : {}) };
    expect((await post('/api/otel/v1/traces', { headers, body: 'nonsense' })).status).toBe(status);
    expect(taken).toEqual([]);
  });

  test('is 413 if it unpacks to a gigabyte, and costs no gigabyte', async () => {
    const bomb = gzipSync(Buffer.alloc(900 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().rss;
    const headers = { ...json, 'content-encoding': 'gzip' };
    expect((await post('/api/otel/v1/traces', { headers, body: bomb })).status).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    expect(taken).toEqual([]);
  });

  test('is 413 if it has more than a MiB, with a declared length or without', async () => {
    const large = new Uint8Array(1024 * 1024 + 1);
    expect((await post('/api/otel/v1/traces', { body: large })).status).toBe(413);
    const body = ReadableStream.from([large.subarray(0, 600_000), large.subarray(0, 600_000)]);
    const streamed = await post('/api/otel/v1/traces', { body, duplex: 'half' } as RequestInit);
    expect(streamed.status).toBe(413);
    expect(taken).toEqual([]);
  });
});

describe('a collector that', () => {
  test('is full reports it to the caller', async () => {
    answer = (res) => res.writeHead(429, { 'retry-after': '7' }).end();
    const got = await post('/api/otel/v1/traces');
    expect([got.status, got.headers.get('retry-after')]).toEqual([503, '7']);
  });

  test.each([429, 503])(
    'answers %d without Retry-After is 503, to be repeated in a second',
    async (status) => {
      answer = (res) => res.writeHead(status).end();
      const got = await post('/api/otel/v1/traces');
      expect([got.status, got.headers.get('retry-after')]).toEqual([503, '1']);
    },
  );

  test.each([
    [
      'wants a password',
      (res: ServerResponse) => res.writeHead(401, { 'www-authenticate': 'Basic' }).end('canary'),
    ],
    [
      'leads elsewhere',
      (res: ServerResponse) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    ['answers without end', (res: ServerResponse) => void res.end(Buffer.alloc(1024 * 1024))],
    ['cuts the connection', (res: ServerResponse) => void res.destroy()],
  ])('%s is 503', async (_what, how) => {
    answer = (res) => void how(res);
    const got = await post('/api/otel/v1/traces');
    expect([got.status, await got.text()]).toEqual([503, expect.not.stringContaining('canary')]);
  });

  test('is not there is 503 with Retry-After', async () => {
    const other = await startGateway();
    try {
      const got = await fetch(`${other.url}/api/otel/v1/traces`, {
        method: 'POST',
        headers: json,
        body: '{}',
      });
      expect([got.status, got.headers.get('retry-after')]).toEqual([503, '1']);
    } finally {
      await other.stop();
    }
  });
});
