import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AckPolicy } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningNats, startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import { eraseFromStream, type Fate, hasCaughtUp } from '../../src/bus/erase-events.ts';
import { natsPermissions } from '../../src/bus/permissions.ts';
import { ensureStream } from '../../src/bus/streams.ts';
import { createLog } from '../../src/log/log.ts';

const namespace = 'erasing';
const operator = { user: 'operator', password: 'operator', publish: ['>'], subscribe: ['>'] };
const services = ['webhooks', 'agents'] as const;
const buses = {} as Record<(typeof services)[number], Bus>;
const scope = { tenantId: 'acme', conversationId: 'anna' };
let directory: string;
let nats: RunningNats;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-nats-'));
  const users = services.map((user) => ({ user, password: user, ...natsPermissions(namespace, user) }));
  nats = await startNatsServer({ storeDir: directory, users: [operator, ...users], log: () => {} });
  for (const service of services) {
    const account = { user: service, password: service };
    buses[service] = new Bus({
      service,
      url: nats.url,
      namespace,
      log: createLog('test', 'silent'),
      ...account,
    });
    await buses[service].connect();
    await ensureStream(buses[service]);
  }
});
afterAll(async () => {
  for (const service of services) await buses[service]?.close();
  await nats?.stop();
  await rm(directory, { recursive: true, force: true });
});

const say = (word: string, conversationId = 'anna') =>
  buses.webhooks
    .live()
    .jetstream.publish(
      `${namespace}.event.webhooks.message.received.v1.acme.${conversationId}`,
      JSON.stringify({ word }),
    );

async function words(): Promise<string[]> {
  const { manager } = buses.webhooks.live();
  const stream = buses.webhooks.names.stream('webhooks');
  const { first_seq: first, last_seq: last } = (await manager.streams.info(stream)).state;
  const words: string[] = [];
  for (let seq = first; seq <= last; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
    if (message) words.push((message.json() as { word: string }).word);
  }
  return words;
}

const fates: Readonly<Record<string, Fate>> = { old: 'erase', late: 'erase once consumed' };

const erase = (subjects = [buses.webhooks.names.everyEventOf('webhooks', scope)]) =>
  eraseFromStream(buses.webhooks, {
    subjects,
    fateOf: (data) => fates[(data as { word: string }).word] ?? 'keep',
    consumer: 'agents',
    deadline: Date.now() + 10_000,
  });

test('events are erased one by one, with the rights of their owner, and if requested only after their consumer has them', async () => {
  const { manager, jetstream } = buses.agents.live();
  const stream = buses.agents.names.stream('webhooks');
  await manager.consumers.add(stream, { durable_name: 'agents', ack_policy: AckPolicy.Explicit });
  for (const word of ['old', 'new', 'late']) await say(word);
  await say('old', 'ravi');
  expect(await hasCaughtUp(buses.agents, 'webhooks', Date.now())).toBe(false);
  expect(await erase()).toEqual({ erased: 1, isDone: false });
  expect(await words()).toEqual(['new', 'late', 'old']);
  const consumer = await jetstream.consumers.get(stream, 'agents');
  for (let count = 0; count < 3; count += 1) await (await consumer.next())!.ackAck();
  expect(await hasCaughtUp(buses.agents, 'webhooks', Date.now() + 5000)).toBe(true);
  expect(await erase()).toEqual({ erased: 1, isDone: true });
  expect(await words()).toEqual(['new', 'old']);
  expect(await erase()).toEqual({ erased: 0, isDone: true });
});

test("a service can't remove events from another service's stream", async () => {
  const stream = buses.agents.names.stream('webhooks');
  await expect(buses.agents.live().manager.streams.deleteMessage(stream, 2, true)).rejects.toThrow();
});
