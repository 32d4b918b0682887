import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningNats, startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import { BusWatch } from '../../src/bus/bus-watch.ts';
import { natsPermissions } from '../../src/bus/permissions.ts';
import { ensureStream } from '../../src/bus/streams.ts';
import { keepSubscribed } from '../../src/bus/subscribing.ts';
import { createLog } from '../../src/log/log.ts';

const namespace = 'botyard';
const login = { user: 'keys', password: 'p' };
const heard = `${namespace}.request.keys.hello`;
let dir: string;
let sick: RunningNats;
let sound: RunningNats;
let bus: Bus;

/** With every right, but on the first server none to publish events: it takes no message. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'botyard-watch-'));
  const rights = natsPermissions(namespace, 'keys');
  const mute = rights.publish.filter((subject) => !subject.includes('.event.'));
  const start = (name: string, publish: readonly string[]) =>
    startNatsServer({
      storeDir: join(dir, name),
      users: [
        { ...login, ...rights, publish },
        { user: 'admin', password: 'p', publish: ['>'], subscribe: ['>'] },
      ],
      log: () => undefined,
    });
  [sick, sound] = await Promise.all([start('sick', mute), start('sound', [...rights.publish, heard])]);
  const url = `${sick.url},${sound.url}`;
  bus = new Bus({ service: 'keys', url, namespace, ...login, log: createLog('test', 'silent') });
  await bus.connect();
});
afterAll(async () => {
  await bus?.close();
  await Promise.all([sick?.stop(), sound?.stop()]);
  await rm(dir, { recursive: true, force: true });
});

const server = () => bus.live().connection.getServer();
const isAt = ({ port }: RunningNats) => bus.isConnected && server().endsWith(`:${port}`);

test('a server that accepts no message is replaced by another one, and subscriptions continue there', async () => {
  let questions = 0;
  keepSubscribed(bus, heard, {
    onMessage: () => {
      questions += 1;
    },
  });
  if (isAt(sound)) await bus.changeServer();
  await eventually('it is at the sick server', () => isAt(sick));
  const watch = new BusWatch({ bus, onStreamMissing: () => void ensureStream(bus).catch(() => undefined) });
  watch.start();
  await eventually('it is at the sound server', () => isAt(sound));
  await eventually('it hears there', () => {
    bus.live().connection.publish(heard);
    return questions > 0;
  });
  await eventually('nothing stalls', () => bus.stalls.list().length === 0);
  await watch.stop();
  expect(isAt(sound)).toBe(true);
});
