import { type ClientRequest, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { eventually } from '@botyard/testing/eventually';
import express, { type ErrorRequestHandler } from 'express';
import { afterEach, expect, test } from 'vitest';
import type { HttpError } from '../../src/http/errors.ts';
import { formReader } from '../../src/http/form-reader.ts';

const maxBytesOfOne = 1024 * 1024;
const nearlyAll = maxBytesOfOne - 1000;
const whole = { isWhole: true };
const end = '\r\n--x--\r\n';
const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

interface Post {
  upload: ClientRequest;
  status: Promise<number>;
}

/** A server with one route for forms. Files with the name `kept` stay being handled until `letGo`. */
async function serve() {
  const errors: { tenantId: string; status: number }[] = [];
  const handled: string[] = [];
  const kept = Promise.withResolvers<void>();
  const app = express();
  const sockets: Socket[] = [];
  app.use((req, res, next) => {
    sockets.push(req.socket);
    res.locals.admitted = { tenantId: req.headers['x-tenant'] };
    next();
  });
  app.post('/', formReader({ most: 10, maxBytesOfOne }), async (req, res) => {
    const tenantId = String(req.headers['x-tenant']);
    try {
      await res.locals.form.read(async ({ name }: { name: string }) => {
        handled.push(`${tenantId}/${name}`);
        if (name === 'kept') await kept.promise;
        handled.push(`${tenantId}/${name} to its end`);
      });
    } catch (error) {
      errors.push({ tenantId, status: (error as HttpError).status });
      throw error;
    }
    res.status(201).end();
  });
  const answer: ErrorRequestHandler = (error: HttpError, _req, res, _next) => {
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
  /** Posts a file of this many bytes, and leaves the form open unless it `isWhole`. */
  const post = (tenantId: string, bytes: number, { name = 'a.bin', isWhole = false } = {}): Post => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const headers = { 'x-tenant': tenantId, 'content-type': 'multipart/form-data; boundary=x' };
    const upload = request({ port, method: 'POST', headers });
    upload.on('error', () => undefined).on('response', ({ statusCode }) => resolve(statusCode ?? 0));
    upload.write(`--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n`);
    upload.write(Buffer.alloc(bytes, 'a'));
    if (isWhole) upload.end(end);
    closes.push(() => upload.destroy());
    return { upload, status: promise };
  };
  const bytesAreRead = (bytes: number) => {
    const begun = sockets.length;
    return eventually('its bytes are read', () => (sockets[begun]?.bytesRead ?? 0) > bytes);
  };
  /** Posts a file whose form stays open, and waits until its bytes were read. */
  const postSlowly = async (tenantId: string): Promise<Post> => {
    const slow = post(tenantId, nearlyAll);
    await bytesAreRead(nearlyAll);
    return slow;
  };
  return { post, postSlowly, bytesAreRead, errors, handled, letGo: kept.resolve };
}

test('two tenants with slow uploads keep no third one out: the largest of them loses its oldest', async () => {
  const { post, postSlowly } = await serve();
  const slow: Post[] = [];
  for (const tenantId of ['a', 'a', 'b', 'b']) slow.push(await postSlowly(tenantId));
  expect(await post('c', nearlyAll, whole).status).toBe(201);
  for (const { upload } of slow) upload.end(end);
  const statuses = await Promise.all(slow.map(({ status }) => status));
  expect(statuses).toEqual([503, 201, 503, 201]);
});

test('an upload that has begun holds no more than what has arrived', async () => {
  const { post, errors } = await serve();
  for (let index = 0; index < 20; index += 1) post('a', 1000);
  for (const tenantId of ['a', 'b', 'c']) expect(await post(tenantId, nearlyAll, whole).status).toBe(201);
  expect(errors).toEqual([]);
});

test('a file that has arrived keeps its memory until it is handled; who needs room waits', async () => {
  const { post, bytesAreRead, errors, handled, letGo } = await serve();
  const kept = ['a', 'a', 'b'].map((tenantId) => post(tenantId, nearlyAll, { ...whole, name: 'kept' }));
  await eventually('three files are handled', () => handled.length === 3);
  const late = post('c', 10_000, whole);
  await bytesAreRead(10_000);
  letGo();
  const statuses = await Promise.all([...kept, late].map(({ status }) => status));
  expect([statuses, errors]).toEqual([[201, 201, 201, 201], []]);
  expect(handled.indexOf('c/a.bin')).toBeGreaterThan(handled.indexOf('a/kept to its end'));
});

test('uploads of one tenant over its share wait for its others', async () => {
  const { post, handled, letGo } = await serve();
  for (const name of ['kept', 'kept']) post('a', nearlyAll, { ...whole, name });
  await eventually('two files are handled', () => handled.length === 2);
  const third = post('a', nearlyAll, whole);
  expect(await post('b', nearlyAll, whole).status).toBe(201);
  expect(handled).not.toContain('a/a.bin');
  letGo();
  expect(await third.status).toBe(201);
});
