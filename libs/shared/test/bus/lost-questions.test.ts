import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenantExists } from '@botyard/contracts/events/tenancy';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../../../tools/embedded/free-port.ts';
import { type RunningNats, startNatsServer } from '../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../src/bus/bus.ts';
import { natsPermissions } from '../../src/bus/permissions.ts';
import { ask } from '../../src/bus/requests.ts';
import { createLog } from '../../src/log/log.ts';

const namespace = 'botyard';
const service = 'keys';
const password = 'p';
const everything = { publish: ['>'], subscribe: ['>'] };
const question = { tenantId: '0190f3a4-0000-7000-8000-000000000001' };

let dir: string;
let alone: RunningNats;
let together: RunningNats[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'botyard-questions-'));
  const users = [
    { user: service, password, ...natsPermissions(namespace, service) },
    { user: 'admin', password, ...everything },
  ];
  const ports = await freePorts(2);
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  const start = (name: string, port?: number) =>
    startNatsServer({
      storeDir: join(dir, name),
      users,
      ...(port === undefined ? {} : { cluster: { name, port, addresses } }),
      log: () => undefined,
    });
  [alone, ...together] = await Promise.all([start('alone'), start('a', ports[0]), start('b', ports[1])]);
});
afterAll(async () => {
  await Promise.all([alone, ...(together ?? [])].map((server) => server?.stop()));
  await rm(dir, { recursive: true, force: true });
});

/** A responder that answers with `answers`, one after the other; `undefined` is a lost request. */
async function withAnswers<T>(
  server: RunningNats,
  answers: readonly (object | undefined)[],
  work: (bus: Bus, heard: () => number) => Promise<T>,
): Promise<T> {
  const bus = new Bus({
    service,
    url: server.url,
    namespace,
    user: service,
    password,
    log: createLog('test', 'silent'),
  });
  const tenancy: NatsConnection = await connect({ servers: server.url, user: 'admin', pass: password });
  let heard = 0;
  tenancy.subscribe(bus.names.request(tenantExists), {
    callback: (_, message) => {
      const answer = answers[heard];
      heard += 1;
      if (answer) message.respond(JSON.stringify(answer));
    },
  });
  await tenancy.flush();
  try {
    await bus.connect();
    return await work(bus, () => heard);
  } finally {
    await Promise.all([bus.close(), tenancy.close()]);
  }
}

const granted = { ok: { exists: true } };

test('a request that a cluster lost is repeated once', async () => {
  await withAnswers(together[0]!, [undefined, granted], async (bus, heard) => {
    expect(await ask(bus, tenantExists, question)).toEqual({ exists: true });
    expect(heard()).toBe(2);
  });
});

test('a request is not sent a third time: then the service does not answer', async () => {
  await withAnswers(together[0]!, [undefined, undefined, granted], async (bus, heard) => {
    await expect(ask(bus, tenantExists, question)).rejects.toMatchObject({ status: 503 });
    expect(heard()).toBe(2);
  });
});

test('one server loses none, and a service that is slow there is asked once', async () => {
  await withAnswers(alone, [undefined, granted], async (bus, heard) => {
    await expect(ask(bus, tenantExists, question)).rejects.toMatchObject({ status: 503 });
    expect(heard()).toBe(1);
  });
});
