import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { callableUrl, callFailure } from '../src/fake/outgoing-call.ts';

const failureOf = (url: string, signal?: AbortSignal) =>
  fetch(url, signal ? { signal } : {}).then(() => 'answered', callFailure);

async function listen(onSocket: (socket: Socket) => void) {
  const server = createServer((socket) => onSocket(socket.resume())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/`, close: () => once(server.close(), 'close') };
}

test('localhost and names under it are called by their address, because a system may not resolve them', () => {
  expect(callableUrl('http://localhost:3001/hook?a=1').href).toBe('http://127.0.0.1:3001/hook?a=1');
  expect(callableUrl('http://bots.localhost/hook').href).toBe('http://127.0.0.1/hook');
  for (const other of ['http://notlocalhost/', 'http://localhost.example/', 'http://[::1]:3001/'])
    expect(callableUrl(other).href).toBe(other);
});

test('a failed call says what happened: no such host, refused, timed out, or closed', async () => {
  expect(await failureOf('http://no-such-host.invalid/')).toMatch(
    /^Failed to resolve host no-such-host\.invalid \((ENOTFOUND|EAI_AGAIN)\)$/,
  );
  const silent = await listen(() => undefined);
  expect(await failureOf(silent.url, AbortSignal.timeout(50))).toBe('Connection timed out');
  await silent.close();
  const closing = await listen((socket) => socket.end());
  expect(await failureOf(closing.url)).toBe('Connection closed without a response');
  await closing.close();
  expect(await failureOf(closing.url)).toBe('Connection refused');
});
