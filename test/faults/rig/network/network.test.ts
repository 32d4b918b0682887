import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { leaveOut } from './leave-out.ts';
import { Network } from './network.ts';

const reason = await Network.whyNot();
const slowReason = reason ?? (await Network.whyNotSlow());
const echo = `require('net').createServer((s) => s.pipe(s).on('error', () => 0)).listen(9000, '0.0.0.0', () => console.log('up'))`;

let network: Network;
let server: ChildProcess;
let host: string;
const clients: Socket[] = [];

beforeAll(async () => {
  if (reason) return;
  network = await Network.open();
  const place = await network.join('echo');
  host = place.host;
  server = spawn('nsenter', [`--net=/run/netns/${place.network}`, process.execPath, '-e', echo]);
  await once(server.stdout!, 'data');
});
afterEach(async () => {
  await network?.heal();
  for (const client of clients.splice(0)) client.destroy();
});
afterAll(async () => {
  server?.kill();
  await network?.close();
});

/** A connection that receives its own echo. */
async function call() {
  const client = connect(9000, host);
  client.on('error', () => undefined).setNoDelay(true);
  clients.push(client);
  let heard = '';
  client.on('data', (bytes) => {
    heard += bytes.toString();
  });
  await once(client, 'connect');
  return { client, heard: () => heard };
}

function comesBack({ client, heard }: Awaited<ReturnType<typeof call>>, text: string) {
  client.write(text);
  return eventually(`${text} comes back`, () => heard().endsWith(text));
}

/** The outcome of a new connection. */
async function connectOnce(): Promise<string> {
  const client = connect({ port: 9000, host, timeout: 1500 });
  clients.push(client);
  return await Promise.race([
    once(client, 'timeout').then(() => 'nothing'),
    once(client, 'connect').then(() => 'connected'),
    once(client, 'error').then(([error]) => String((error as NodeJS.ErrnoException).code)),
  ]);
}

test.each([
  ['a cut', () => network.cut(['here'], ['echo'])],
  ['a cut of one way', () => network.lose(['here'], ['echo'])],
  ['a cut of the other way', () => network.lose(['echo'], ['here'])],
])('%s is silent, and what was written meanwhile arrives once it is healed', async (name, cut) => {
  if (reason) return leaveOut(name, reason);
  const connection = await call();
  await comesBack(connection, 'before');
  await cut();
  connection.client.write('meanwhile');
  expect(await connectOnce()).toBe('nothing');
  expect(connection.heard()).toBe('before');
  expect(connection.client.destroyed).toBe(false);
  await network.heal();
  await eventually('it arrives', () => connection.heard() === 'beforemeanwhile');
});

test('a slow link takes 300 ms there and back, and loses nothing of a stream', async () => {
  if (slowReason) return leaveOut('a slow link', slowReason);
  await network.slow(['here'], ['echo']);
  const beganAt = performance.now();
  const slow = await call();
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(299);
  await comesBack(slow, 'x'.repeat(20_000));
});
