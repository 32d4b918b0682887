import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningNats, startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import { natsPermissions } from '../../src/bus/permissions.ts';
import { createLog } from '../../src/log/log.ts';
import { createMetrics } from '../../src/service/metrics.ts';
import { answerSystem } from '../../src/system/answering.ts';
import { askInstance, discoverInstances } from '../../src/system/asking.ts';
import { Instance } from '../../src/system/instance.ts';
import { readSettings, restart } from '../../src/system/questions.ts';
import { serviceNames } from '../../src/system/subjects.ts';

/** A server that holds every service to its permissions, and the processes of two services on it. */
let nats: RunningNats;
let dir: string;
const log = createLog('test', 'silent');
const ends: (() => Promise<void>)[] = [];
const keys = new Instance('keys');
let restarts = 0;

async function busOf(service: (typeof serviceNames)[number]): Promise<Bus> {
  const bus = new Bus({
    service,
    url: nats.url,
    namespace: 'botyard',
    user: service,
    password: 'p',
    log,
  });
  await bus.connect();
  ends.push(() => bus.close());
  return bus;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'botyard-nats-'));
  const admin = { user: 'admin', password: 'p', publish: ['>'], subscribe: ['>'] };
  const services = serviceNames.map((user) => ({ user, password: 'p', ...natsPermissions('botyard', user) }));
  const users = [admin, ...services];
  nats = await startNatsServer({ storeDir: dir, users, log: () => undefined });
  keys.restart = () => {
    restarts += 1;
  };
  answerSystem({ bus: await busOf('keys'), instance: keys, metrics: createMetrics('keys') });
});
afterAll(async () => {
  for (const end of ends) await end();
  await nats?.stop();
  await rm(dir, { recursive: true, force: true });
});

test('the service that owns the routers finds every process and may ask it', async () => {
  const bus = await busOf('tenancy');
  const instances = await eventually('keys is found', async () => {
    const instances = await discoverInstances(bus);
    return instances.length > 0 ? instances : undefined;
  });
  expect(instances).toMatchObject([{ serviceName: 'keys', instanceId: keys.id, state: 'starting' }]);
  const [instance] = instances;
  expect(await askInstance(bus, readSettings, instance!, {})).toEqual([]);
  expect(await askInstance(bus, restart, instance!, {})).toEqual({ isAccepted: true });
  expect(restarts).toBe(1);
});

describe.each(serviceNames.filter((name) => name !== 'tenancy'))('%s', (service) => {
  const refusedBy = async (subject: string): Promise<string> => {
    const connection: NatsConnection = await connect({
      servers: nats.url,
      user: service,
      pass: 'p',
      inboxPrefix: `_INBOX.botyard.${service}`,
    });
    try {
      return await connection.request(subject, '{}', { timeout: 1000 }).then(
        () => 'answered',
        (error: Error) => `${error.name} ${error.message}`,
      );
    } finally {
      await connection.close();
    }
  };

  test.each(['settings', 'logs', 'figures', 'restart'])('may not ask %s', async (question) => {
    const before = restarts;
    expect(await refusedBy(`botyard.system.${question}.keys`)).not.toBe('answered');
    expect(await refusedBy(`botyard.system.${question}.keys.${keys.id}`)).not.toBe('answered');
    expect(restarts).toBe(before);
  });

  test('%s may neither discover services nor announce the end of another one', async () => {
    expect(await refusedBy('$SRV.PING.botyard-keys')).not.toBe('answered');
    if (service !== 'usage') expect(await refusedBy('botyard.drain.usage')).not.toBe('answered');
  });
});
