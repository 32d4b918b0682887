import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningNats, startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import { ensureStream } from '../../src/bus/streams.ts';
import { createLog } from '../../src/log/log.ts';

let nats: RunningNats;
let directory: string;
const buses: Bus[] = [];

/** Logins of one service that the server answers only some questions about its stream. */
const asking = (user: string, ...verbs: string[]) => ({
  user,
  password: 'p',
  publish: verbs.map((verb) => `$JS.API.STREAM.${verb}.>`),
  subscribe: ['>'],
});

async function busAs(user: string): Promise<Bus> {
  const log = createLog('test', 'silent');
  const bus = new Bus({ service: 'keys', url: nats.url, namespace: 'test', user, password: 'p', log });
  await bus.connect();
  buses.push(bus);
  return bus;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-nats-'));
  const users = [
    { user: 'admin', password: 'p', publish: ['>'], subscribe: ['>'] },
    asking('blind', 'CREATE', 'UPDATE'),
    asking('reader', 'INFO'),
  ];
  nats = await startNatsServer({ storeDir: directory, users, log: () => undefined });
});
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await nats?.stop();
  await rm(directory, { recursive: true, force: true });
});

test('a stream that can not be asked about is not taken for one that is lost', async () => {
  const [blind, admin] = await Promise.all([busAs('blind'), busAs('admin')]);
  await expect(ensureStream(blind)).rejects.toThrow();
  await expect(admin.live().manager.streams.info('test_keys')).rejects.toThrow('stream not found');
});

test('an up-to-date stream is not changed, and has the same creation time each time', async () => {
  const [admin, reader] = await Promise.all([busAs('admin'), busAs('reader')]);
  const { created } = await ensureStream(admin);
  expect((await ensureStream(reader)).created).toBe(created);
});

test('a stream whose settings have changed is brought up to date', async () => {
  const admin = await busAs('admin');
  const { manager } = admin.live();
  const { created } = await ensureStream(admin);
  await manager.streams.update('test_keys', { max_bytes: 1024 });
  expect((await ensureStream(admin)).created).toBe(created);
  expect((await manager.streams.info('test_keys')).config.max_bytes).toBe(1024 ** 3);
});

test('F-30: a newer version brings a stream up to date, and an older one leaves it so', async () => {
  const admin = await busAs('admin');
  const { manager } = admin.live();
  await manager.streams.update('test_keys', { max_bytes: 1024, metadata: {} });
  expect((await ensureStream(admin, 9)).config.max_bytes).toBe(1024 ** 3);
  await manager.streams.update('test_keys', { max_bytes: 2048 });
  expect((await ensureStream(admin, 8)).config.max_bytes).toBe(2048);
  expect((await ensureStream(admin, 9)).config.max_bytes).toBe(1024 ** 3);
});

test('a stream of a single server confirms events before they are on the disk, and keeps to that when its settings change', async () => {
  const admin = await busAs('admin');
  const { manager } = admin.live();
  await ensureStream(admin);
  expect((await manager.streams.info('test_keys')).config.persist_mode).toBe('async');
  const stream = await manager.streams.info('test_keys');
  await manager.streams.update('test_keys', { ...stream.config, max_bytes: 1024 });
  const { config } = await ensureStream(admin, 10);
  expect(config).toMatchObject({ persist_mode: 'async', max_bytes: 1024 ** 3 });
});

test("replicas that a single server can't provide are refused, and the stream is not changed", async () => {
  const admin = await busAs('admin');
  const { created } = await ensureStream(admin);
  const log = createLog('test', 'silent');
  const user = { user: 'admin', password: 'p', replicas: 3 };
  const wrong = new Bus({ service: 'keys', url: nats.url, namespace: 'test', ...user, log });
  await wrong.connect();
  buses.push(wrong);
  await expect(ensureStream(wrong, 10)).rejects.toThrow();
  expect((await ensureStream(admin, 10)).created).toBe(created);
});

test('a stream of a release that waited for the disk keeps its mode', async () => {
  const admin = await busAs('admin');
  const { manager } = admin.live();
  await manager.streams.delete('test_keys');
  await manager.streams.add({ name: 'test_keys', subjects: ['test.keys.>'] });
  const { config } = await ensureStream(admin, 11);
  expect(config.max_bytes).toBe(1024 ** 3);
  expect(config.persist_mode).not.toBe('async');
});
