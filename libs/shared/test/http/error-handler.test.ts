import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { answerError, createErrorHandler, toHttpError } from '@botyard/shared/http/error-handler';
import { HttpError } from '@botyard/shared/http/errors';
import { jsonBody, refuseEncoded } from '@botyard/shared/http/json-body';
import { createLog, type Log } from '@botyard/shared/log/log';
import express, { type Request, type Response } from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: Server;
beforeAll(async () => {
  const app = express();
  app.post('/', refuseEncoded, jsonBody({ maxBodyBytes: 1000 }), (_req: Request, res: Response) => {
    res.json({});
  });
  app.use(createErrorHandler(createLog('test', 'silent')));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server?.close());

const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, body: await response.json() };
};
const postText = (text: string) => post(text);

test.each([
  ['gzip', gzipSync('{}')],
  ['deflate', deflateSync('{}')],
  ['br', brotliCompressSync('{}')],
  ['zstd', zstdCompressSync('{}')],
  ['identity', Buffer.from('{}')],
])('a body with Content-Encoding: %s is 415', async (encoding, body) => {
  expect((await post(body, { 'content-encoding': encoding })).status).toBe(415);
});

test('JSON in another charset than UTF-8 is 415', async () => {
  const typed = (charset: string) => post('{}', { 'content-type': `application/json; charset=${charset}` });
  expect((await typed('utf-16le')).status).toBe(415);
  expect((await typed('"UTF-8"')).status).toBe(200);
});

test('a body is refused as too large, with advice if the route has any', async () => {
  expect(await post(`"${'a'.repeat(1000)}"`)).toMatchObject({ status: 413 });
});

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
