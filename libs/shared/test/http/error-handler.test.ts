import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { answerError, createErrorHandler, toHttpError } from '@botyard/shared/http/error-handler';
import { HttpError } from '@botyard/shared/http/errors';
import { createLog, type Log } from '@botyard/shared/log/log';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: Server;
beforeAll(async () => {
  const app = express();
  app.post('/', express.json({ limit: 1000 }), (_req, res) => void res.json({}));
  app.use(createErrorHandler(createLog('test', 'silent')));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server?.close());

const post = async (encoding: string, bytes: Buffer) => {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, body: await response.json() };
};
const json = Buffer.from('{"a":1}');
const gzip = gzipSync(json);
const brotli = brotliCompressSync(json);

test.each([
  ['gzip', json],
  ['gzip', gzip.subarray(0, -9)],
  ['gzip', Buffer.from([...gzip.subarray(0, 12), 0xff, 0xff, ...gzip.subarray(14)])],
  ['deflate', json],
  ['br', json],
  ['br', brotli.subarray(0, -2)],
  ['zstd', json],
  ['zstd', zstdCompressSync(json).subarray(0, -3)],
])('a body that is not compressed as declared is a client error: %s %o', async (encoding, bytes) => {
  expect(await post(encoding, bytes)).toEqual({
    status: 400,
    body: {
      error: expect.stringMatching(/^the body (can not be read|is not complete|is not valid JSON: .*)$/),
    },
  });
});

const postText = (text: string) => post('identity', Buffer.from(text));

test('broken JSON is reported with its position', async () => {
  expect(await postText('{\n  "name": "Support",\n}')).toEqual({
    status: 400,
    body: { error: 'the body is not valid JSON: see line 3, column 1' },
  });
  expect(await postText('"text"')).toEqual({
    status: 400,
    body: { error: 'the body is not a JSON object' },
  });
});

test('the body of an error has its message, and its issues with path and message, and nothing else', () => {
  expect(new HttpError(404, 'bot not found').body).toEqual({ error: 'bot not found' });
  expect(toHttpError(new Error('x')).body).toEqual({ error: 'something went wrong on our side' });
  const issue = { path: 'name', message: 'is too odd', code: 'odd', line: 3 };
  const error = new HttpError(409, 'too many', { issues: [issue], isExpected: true, cause: new Error('y') });
  expect(error.body).toEqual({ error: 'too many', issues: [{ path: 'name', message: 'is too odd' }] });
});

test('a correctly compressed body is read, within its limit', async () => {
  expect((await post('gzip', gzip)).status).toBe(200);
  expect((await post('br', brotli)).status).toBe(200);
  expect((await post('deflate', deflateSync(json))).status).toBe(200);
  expect((await post('zstd', zstdCompressSync(json))).status).toBe(200);
  expect((await post('gzip', gzipSync(Buffer.alloc(100_000, 0x20)))).status).toBe(413);
});

test.each(['55P03', '57014', '40P01', '40001'])(
  'a database that is too busy to answer in time is 503, to be tried again: %s',
  (code) => {
    const cause = Object.assign(new Error('canceling statement'), { code });
    expect(toHttpError(new Error('Failed query', { cause }))).toMatchObject({
      status: 503,
      message: 'the database is busy',
      retryAfterSeconds: 1,
    });
  },
);

test('an error of the database that is no contention is a fault of ours', () => {
  expect(toHttpError(Object.assign(new Error('no such column'), { code: '42703' })).status).toBe(500);
});

test.each([
  ["caused by the operator's settings", true, 0],
  ['with any other cause', false, 1],
])('a 503 %s (%s) is logged as an error %i times', (_what, isExpected, times) => {
  const errors: unknown[] = [];
  const log = { error: (fault: unknown) => errors.push(fault), debug: () => {} } as unknown as Log;
  answerError(
    log,
    new HttpError(503, 'not now', { isExpected }),
    new ServerResponse(new IncomingMessage(new Socket())),
  );
  expect(errors).toHaveLength(times);
});
