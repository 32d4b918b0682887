import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@botyard/testing/eventually';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seeded } from '../random.ts';
import { FaultProxy } from './fault-proxy.ts';

/** Echoes its input, and ends on request. */
let server: Server;
let served: Socket[];
let proxy: FaultProxy;
let clients: Socket[];

beforeEach(async () => {
  served = [];
  clients = [];
  server = createServer((socket) => {
    served.push(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await FaultProxy.before(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, seeded(1));
});
afterEach(() => {
  for (const socket of [...clients, ...served]) socket.destroy();
  proxy.close();
  server.close();
});

interface Client {
  socket: Socket;
  heard: () => string;
  /** `end`, or the code of an error. */
  ended: Promise<string>;
}

function call(): Client {
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString();
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
    socket.on('end', () => resolve('end'));
  });
  return { socket, heard: () => text, ended };
}

async function connected(): Promise<Client> {
  const client = call();
  client.socket.write('hello ');
  await eventually('it is answered', () => client.heard() === 'hello ');
  return client;
}

const long = 'abcdefghij'.repeat(20_000);
async function msFor(client: Client, text: string): Promise<number> {
  const beganAt = performance.now();
  const before = client.heard().length;
  client.socket.write(text);
  await eventually('all of it came back', () => client.heard().length >= before + text.length);
  return performance.now() - beganAt;
}

test('without a fault everything passes, whole and in order, and the end, too', async () => {
  const client = await connected();
  await msFor(client, long);
  expect(client.heard()).toBe(`hello ${long}`);
  client.socket.end();
  expect(await client.ended).toBe('end');
  await eventually('nothing is left', () => proxy.connectionCount === 0);
});

test('a slow link delays each way by at least the configured time, and keeps the order', async () => {
  const client = await connected();
  proxy.change({ delayMs: 60, jitterMs: 40 });
  const words = Array.from({ length: 30 }, (_, number) => `<${number}>`);
  const beganAt = performance.now();
  for (const word of words) {
    client.socket.write(word);
    // Each in a packet of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually('all came back', () => client.heard().endsWith(words.at(-1) ?? ''));
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(119);
  expect(client.heard()).toBe(`hello ${words.join('')}`);
});

test('a throttled link never exceeds the configured rate', async () => {
  const client = await connected();
  proxy.change({ bytesPerSecond: 400_000 });
  expect(await msFor(client, long)).toBeGreaterThanOrEqual(450);
  expect(client.heard()).toBe(`hello ${long}`);
});

test.each([
  ['reset', 'ECONNRESET'],
  ['end', 'end'],
] as const)('a cut by %s reaches both ends', async (how, seen) => {
  const client = await connected();
  const closed = new Promise((resolve) => served[0]?.once('close', resolve));
  proxy.cut(how);
  expect(await client.ended).toBe(seen);
  await closed;
  await connected();
});

test('in a hole everything is accepted and nothing arrives, not even an end; once healed, lost connections end in a reset', async () => {
  const quiet = await connected();
  const lost = await connected();
  const gone = await connected();
  proxy.change({ isBlackhole: true });
  const knocking = call();
  for (const { socket } of [lost, knocking]) socket.write('anybody?');
  gone.socket.resetAndDestroy();
  // A later write on another connection shows that it would have arrived by now.
  await eventually('it was taken', () => lost.socket.writableLength === 0 && !knocking.socket.connecting);
  expect(served.filter(({ closed }) => !closed)).toHaveLength(3);
  await proxy.heal();
  expect(await lost.ended).toBe('ECONNRESET');
  expect(await knocking.ended).toBe('ECONNRESET');
  expect(lost.heard()).toBe('hello ');
  await eventually('the other half of what was gone is reset, too', () => served[2]?.closed);
  await msFor(quiet, 'still here');
  expect(served).toHaveLength(3);
});

test('it refuses new connections and keeps those that there are', async () => {
  const client = await connected();
  proxy.refuse();
  expect(await call().ended).toBe('ECONNREFUSED');
  await msFor(client, 'still here');
  await proxy.heal();
  await connected();
});

test('a missing server is a reset, and its end closes open connections', async () => {
  const client = await connected();
  served[0]?.resetAndDestroy();
  expect(await client.ended).toBe('ECONNRESET');
  server.close();
  await once(server, 'close');
  expect(await call().ended).toBe('ECONNRESET');
});

test('the same seed makes the same delays', () => {
  const draw = (seed: number) => {
    const random = seeded(seed);
    return Array.from({ length: 5 }, () => random());
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7).every((number) => number >= 0 && number < 1)).toBe(true);
});
