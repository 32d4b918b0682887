import { Bus } from '@botyard/shared/bus/bus';
import { ensureStream } from '@botyard/shared/bus/streams';
import { createLog } from '@botyard/shared/log/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NatsCluster } from '../rig/nats-cluster.ts';

const namespace = 'moved';
let cluster: NatsCluster;
const buses: Bus[] = [];

beforeAll(async () => {
  cluster = await NatsCluster.start(namespace);
}, 240_000);
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await cluster?.stop();
}, 60_000);

async function connect(replicas: number): Promise<Bus> {
  const { NATS_URL: url = '', NATS_USER: user, NATS_PASSWORD: password } = cluster.envOf('keys');
  const log = createLog('test', 'silent');
  const bus = new Bus({ service: 'keys', url, namespace, user, password, replicas, log });
  await bus.connect();
  buses.push(bus);
  return bus;
}

test('F-80: a stream created for one nats-server is created again with replicas, which its creation time shows', async () => {
  const single = await ensureStream(await connect(1));
  expect(single.config).toMatchObject({ num_replicas: 1, persist_mode: 'async' });
  const [first, second] = await Promise.all([connect(3), connect(3)]);
  const replicated = await ensureStream(first);
  expect(replicated.config.num_replicas).toBe(3);
  expect(replicated.config.persist_mode).not.toBe('async');
  expect(replicated.created).not.toBe(single.created);
  expect((await ensureStream(second)).created).toBe(replicated.created);
});
