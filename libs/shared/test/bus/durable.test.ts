import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorizationChanged, tenantDeleted } from '@botyard/contracts/events/tenancy';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { MissedLocks } from '@botyard/shared/db/missed-locks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RunningNats, startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import {
  answerConsumerRequests,
  catchUpName,
  consumerSettings,
  ensureConsumer,
} from '../../src/bus/durable.ts';
import { Follower } from '../../src/bus/follower.ts';
import { natsPermissions } from '../../src/bus/permissions.ts';
import { Consumer } from '../../src/bus/stream-consumer.ts';
import { ensureStream } from '../../src/bus/streams.ts';
import { createLog } from '../../src/log/log.ts';
import { StallMonitor } from '../../src/service/stalls.ts';

let nats: RunningNats;
let directory: string;
const buses: Bus[] = [];

async function busAs(service: ServiceName, user: string, stalls?: StallMonitor): Promise<Bus> {
  const log = createLog(service, 'silent');
  const bus = new Bus({
    service,
    url: nats.url,
    namespace: 'test',
    user,
    password: 'p',
    log,
    ...(stalls ? { stalls } : {}),
  });
  buses.push(bus);
  await bus.connect();
  return bus;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-nats-'));
  const users = (['tenancy', 'usage'] as const).map((service) => ({
    user: service,
    password: 'p',
    ...natsPermissions('test', service),
  }));
  const admin = { user: 'admin', password: 'p', publish: ['>'], subscribe: ['>'] };
  const deaf = { user: 'deaf', password: 'p', publish: ['$JS.API.INFO'], subscribe: ['>'] };
  nats = await startNatsServer({ storeDir: directory, users: [...users, admin, deaf], log: () => undefined });
  const tenancy = await busAs('tenancy', 'tenancy');
  await ensureStream(tenancy);
  answerConsumerRequests(tenancy);
});
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await nats?.stop();
  await rm(directory, { recursive: true, force: true });
});

test('a service has its consumer brought up to date by the owner of the stream, and catches up with added events', async () => {
  const bus = await busAs('usage', 'usage');
  const { manager } = bus.live();
  expect(await ensureConsumer(bus, { owner: 'tenancy', events: [tenantDeleted], version: 1 })).toEqual([]);
  const events = [tenantDeleted, authorizationChanged];
  const added = await ensureConsumer(bus, { owner: 'tenancy', events, version: 2 });
  expect(added).toEqual([authorizationChanged]);
  const name = catchUpName('usage', authorizationChanged.name);
  expect((await manager.consumers.info('test_tenancy', name)).config.filter_subject).toBe(
    bus.names.everyEvent(authorizationChanged),
  );
  expect(await ensureConsumer(bus, { owner: 'tenancy', events, version: 2 })).toEqual([authorizationChanged]);
  await manager.consumers.delete('test_tenancy', name);
});

test.each([
  ['a service that is no consumer', 'gateway', { events: ['tenancy.tenant.deleted.v1'], version: 1 }],
  ['an event of another owner', 'usage', { events: ['agents.turn.completed.v1'], version: 1 }],
  ['a wildcard', 'usage', { events: ['tenancy.*.deleted.v1'], version: 1 }],
  ['a subject in place of a name', 'usage', { events: ['tenancy.tenant.deleted.v1.>'], version: 1 }],
  ['no event at all', 'usage', { events: [], version: 1 }],
  ['something else', 'usage', 'junk'],
])('the owner of a stream creates no consumer for %s', async (_what, service, wanted) => {
  const bus = await busAs('usage', 'admin');
  const before = await bus
    .live()
    .manager.consumers.info('test_tenancy', service)
    .catch(() => undefined);
  const subject = bus.names.consumerRequest('tenancy', service);
  const reply = await bus.live().connection.request(subject, JSON.stringify(wanted), { timeout: 5000 });
  expect(reply.json()).toEqual({ error: expect.any(String) });
  const after = await bus
    .live()
    .manager.consumers.info('test_tenancy', service)
    .catch(() => undefined);
  expect(after?.config).toEqual(before?.config);
});

test('rule 22: a consumer that NATS refuses is shown as a stall with a reason and a remedy', async () => {
  const stalls = new StallMonitor({ log: createLog('usage', 'silent') });
  const bus = await busAs('usage', 'deaf', stalls);
  const consumer = new Consumer({
    bus,
    owner: 'tenancy',
    schema: 'usage',
    subscriptions: [],
    deps: {},
    database: {
      pool: {} as never,
      acquire: () => Promise.reject(new Error('no database')),
      missedLocks: new MissedLocks(),
      room: {},
      ping: async () => undefined,
      close: async () => undefined,
    },
  });
  consumer.start();
  await eventually('it is shown', () => stalls.list().length > 0);
  await consumer.stop();
  expect(stalls.list()).toMatchObject([
    {
      part: 'events of tenancy',
      reason: expect.any(String),
      remedy: expect.stringContaining('test_tenancy'),
    },
  ]);
});

test('a consumer that is removed because its work is done leaves no stall behind', async () => {
  const clock = { ms: 0 };
  const stalls = new StallMonitor({ log: createLog('usage', 'silent'), now: () => clock.ms });
  const failed = vi.spyOn(stalls, 'failed');
  const bus = await busAs('usage', 'admin', stalls);
  const { consumers } = bus.live().manager;
  const [stream, name] = ['test_tenancy', 'usage_done'];
  await consumers.add(stream, { ...consumerSettings, durable_name: name });
  let isDone = false;
  let hasEnded = false;
  const follower = new Follower({
    bus,
    stream,
    part: 'earlier events',
    checkEveryMs: 50,
    onMessage: () => undefined,
    prepare: async () => {
      hasEnded = isDone;
      return isDone ? undefined : name;
    },
    isCurrent: async () => {
      isDone = true;
      await consumers.delete(stream, name);
      await eventually('the follower has noticed', () => failed.mock.calls.length > 0);
      return false;
    },
  });
  follower.start();
  await eventually('nothing is left to follow', () => hasEnded);
  clock.ms = 60_000;
  await eventually('it is no stall', () => stalls.list().length === 0);
});
