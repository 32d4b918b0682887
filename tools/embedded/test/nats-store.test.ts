import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { natsAccounts, operator } from '@botyard/shared/bus/accounts';
import { Bus } from '@botyard/shared/bus/bus';
import { consumerSettings, ensureConsumer } from '@botyard/shared/bus/durable';
import { natsPermissions } from '@botyard/shared/bus/permissions';
import { ensureStream } from '@botyard/shared/bus/streams';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { createLog } from '@botyard/shared/log/log';
import { expect, onTestFinished, test } from 'vitest';
import { moveStreams } from '../../deploy/move-streams.ts';
import { serviceNames } from '../../launcher/settings/services.ts';
import { type RunningNats, startNatsServer } from '../nats-server.ts';
import { moveSharedStreams } from '../nats-store.ts';
import { temporaryDirectory } from './temporary.ts';

const namespace = 'botyard';
const password = 'p';
const event = `${namespace}.event.${messageReceived.name}.t.c`;
const log = () => undefined;
const limits = { filesMaxBytes: 64 * 1024 ** 2, replicas: 1 };
const accounts = {
  config: natsAccounts({ namespace, passwordOf: () => password, ...limits }),
  login: { user: operator, password },
};
/** The server of an installation as it was: all logins in one account. */
const users = [
  { user: operator, password, publish: ['>'], subscribe: ['>'] },
  ...serviceNames.map((user) => ({ user, password, ...natsPermissions(namespace, user) })),
];

async function busAs(service: ServiceName, { url }: RunningNats): Promise<Bus> {
  const bus = new Bus({ service, url, namespace, user: service, password, log: createLog('test', 'silent') });
  await bus.connect();
  onTestFinished(() => bus.close());
  return bus;
}

async function next(bus: Bus): Promise<string | undefined> {
  const consumer = await bus.live().jetstream.consumers.get(bus.names.stream('webhooks'), bus.service);
  const message = await consumer.next({ expires: 5000 });
  await message?.ackAck();
  return message?.string();
}

/** A store with two messages, of which one is acknowledged, and with a file. Returns the server, which still runs. */
async function startFormer(storeDir: string): Promise<RunningNats> {
  const nats = await startNatsServer({ storeDir, users, log });
  onTestFinished(() => nats.stop());
  const [webhooks, agents] = [await busAs('webhooks', nats), await busAs('agents', nats)];
  await ensureStream(webhooks);
  await webhooks.live().manager.consumers.add('botyard_webhooks', {
    ...consumerSettings,
    durable_name: 'agents',
    filter_subjects: [webhooks.names.everyEvent(messageReceived)],
  });
  for (const message of ['first', 'second']) await webhooks.live().jetstream.publish(event, message);
  expect(await next(agents)).toBe('first');
  const files = createNatsObjects(webhooks, { maxBytes: 32 * 1024 ** 2 });
  await files.put('a/b/c', Readable.from([Buffer.from('a file')]), { sizeBytes: 6, sha256: '' });
  return nats;
}

test('streams, consumers and files of one shared account are found in the accounts that keep them', async () => {
  const storeDir = await temporaryDirectory();
  await (await startFormer(storeDir)).stop();
  expect((await moveSharedStreams(storeDir, namespace)).sort()).toEqual([
    'OBJ_botyard_objects',
    'botyard_webhooks',
  ]);
  expect(await moveSharedStreams(storeDir, namespace)).toEqual([]);
  const nats = await startNatsServer({ storeDir, users: [], accounts, log });
  onTestFinished(() => nats.stop());
  const [webhooks, agents] = [await busAs('webhooks', nats), await busAs('agents', nats)];
  await ensureStream(webhooks);
  const owned = { owner: 'webhooks', events: [messageReceived], version: 0 };
  expect(await ensureConsumer(agents, owned)).toEqual([]);
  expect(await next(agents)).toBe('second');
  await webhooks.live().jetstream.publish(event, 'third');
  expect(await next(agents)).toBe('third');
  const files = createNatsObjects(agents, { maxBytes: 32 * 1024 ** 2 });
  expect(await text((await files.get('a/b/c'))!)).toBe('a file');
});

test('the streams of a running server are not moved', async () => {
  const storeDir = await temporaryDirectory();
  const nats = await startFormer(storeDir);
  const env = { NATS_URL: nats.url, NATS_NAMESPACE: namespace };
  await expect(moveStreams(storeDir, env)).rejects.toThrow(/stop it first/);
  expect(await readdir(join(storeDir, 'jetstream'))).toEqual(['$G']);
  await nats.stop();
  await moveStreams(storeDir, env);
  expect((await readdir(join(storeDir, 'jetstream'))).sort()).toEqual(['$G', 'files', 'webhooks-stream']);
});

test('a server starts on a disk that has less room than its accounts may use together', async () => {
  const storeDir = await temporaryDirectory();
  const most = { filesMaxBytes: 1024 ** 5, replicas: 1 };
  const config = natsAccounts({ namespace, passwordOf: () => password, ...most });
  const nats = await startNatsServer({ storeDir, users: [], accounts: { ...accounts, config }, log });
  onTestFinished(() => nats.stop());
  await ensureStream(await busAs('webhooks', nats));
});
