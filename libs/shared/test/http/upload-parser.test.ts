import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { afterEach, expect, test } from 'vitest';
import type { HttpError } from '../../src/http/errors.ts';
import { uploadParser } from '../../src/http/upload-parser.ts';

const megabyte = 1024 * 1024;
const maxBytes = 10 * megabyte;
const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Returns a function that begins an upload and resolves with its status, or with `held` while it is taken. */
async function serve(): Promise<(tenantId: string) => Promise<number | 'held'>> {
  const waiting: ((state: 'held') => void)[] = [];
  const app = express();
  const [enter, ...read] = uploadParser(maxBytes);
  app.use((req, res, next) => {
    res.locals.admitted = { tenantId: req.headers['x-tenant'] };
    next();
  });
  app.post('/', enter!, (_req, _res, next) => {
    waiting.shift()?.('held');
    next();
  });
  app.post('/', ...read);
  const answer: ErrorRequestHandler = (error: HttpError, _req, res, _next) => {
    waiting.shift();
    res.status(error.status).end();
  };
  app.use(answer);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closes.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  return async (tenantId) =>
    await new Promise((resolve) => {
      waiting.push(resolve);
      const headers = { 'x-tenant': tenantId, 'content-length': String(maxBytes) };
      const upload: ClientRequest = request({ port, method: 'POST', headers });
      upload.on('error', () => undefined).on('response', ({ statusCode }) => resolve(statusCode ?? 0));
      upload.write('begun');
      closes.push(() => upload.destroy());
    });
}

test('uploads of tenants with several at a time leave room for one of each other tenant', async () => {
  const upload = await serve();
  for (const tenantId of ['a', 'a', 'b', 'b', 'c']) expect(await upload(tenantId)).toBe('held');
  expect(await upload('a')).toBe(503);
  expect(await upload('c')).toBe(503);
  expect(await upload('d')).toBe('held');
});
