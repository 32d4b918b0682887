import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, UnsentError } from '../../../src/platforms/clients/post.ts';
import { WorkerServer } from './worker-server.ts';

const content = { type: 'application/json', body: '{}' };
const bounds = { timeoutMs: 30_000, maxAnswerBytes: 1000 };

let server: WorkerServer;
let url: URL;

beforeAll(async () => {
  server = await WorkerServer.start();
  url = new URL(`http://127.0.0.1:${server.port}/`);
});
afterAll(() => server?.close());

test('a kept connection that has ended while this process was busy is replaced, and the call is made once', async () => {
  const before = server.received;
  await post(url, content, bounds);
  server.endConnections();
  expect(await post(url, content, bounds)).toMatchObject({ status: 200, body: { ok: true } });
  expect(server.received - before).toBe(2);
});

test('an answer that arrived while this process was paused for longer than the call may take still counts', async () => {
  const timeoutMs = 1000;
  const [received, answered] = [server.received + 1, server.answered + 1];
  const begunAt = performance.now();
  const answer = post(new URL('/held', url), content, { ...bounds, timeoutMs });
  await eventually('the call has come', () => server.received === received);
  // At the end of a turn of the event loop: the next one begins with its timers.
  setImmediate(() => {
    server.answerHeld(answered);
    while (performance.now() - begunAt < 2 * timeoutMs);
  });
  expect(await answer).toMatchObject({ status: 200 });
});

test.each([
  ['no answer to the handshake, until the call is given up', () => undefined],
  ['a connection that is broken off in the handshake', (socket: { destroy(): void }) => socket.destroy()],
])('%s: the call was not sent', async (_what, take) => {
  const listener = createServer((socket) => take(socket.on('error', () => undefined)));
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as AddressInfo;
  const call = post(new URL(`https://127.0.0.1:${port}/`), content, { ...bounds, timeoutMs: 200 });
  await expect(call).rejects.toBeInstanceOf(UnsentError);
  listener.close();
});

test('a call that is broken off without an answer may have arrived', async () => {
  const listener = createServer((socket) => socket.once('data', () => socket.destroy()));
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as AddressInfo;
  const error = await post(new URL(`http://127.0.0.1:${port}/`), content, bounds).catch((thrown) => thrown);
  expect(error).not.toBeInstanceOf(UnsentError);
  expect(error).toMatchObject({ code: 'ECONNRESET' });
  listener.close();
});
