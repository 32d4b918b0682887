import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { refuseOldVersion } from '../nats-binary.ts';
import { type NatsUser, type RunningNats, startNatsServer } from '../nats-server.ts';
import { temporaryDirectory } from './temporary.ts';

const admin: NatsUser = { user: 'admin', password: 'a', publish: ['>'], subscribe: ['>'] };
const clerk: NatsUser = {
  user: 'clerk',
  password: 'c',
  publish: ['own.>'],
  subscribe: ['_INBOX.>', 'own.>'],
};

async function start(storeDir: string): Promise<RunningNats> {
  const nats = await startNatsServer({ storeDir, users: [admin, clerk], log: () => {} });
  onTestFinished(() => nats.stop());
  return nats;
}

async function connectAs({ user, password }: NatsUser, nats: RunningNats): Promise<NatsConnection> {
  const connection = await connect({ servers: nats.url, user, pass: password, reconnect: false });
  onTestFinished(() => connection.close());
  return connection;
}

test("a user can neither publish nor receive another's subject", async () => {
  const nats = await start(join(await temporaryDirectory(), 'nats'));
  const connection = await connectAs(clerk, nats);
  const heard = new Promise((resolve) => {
    connection.subscribe('foreign.thing', { callback: (error) => resolve(error?.name) });
  });
  expect(await heard).toBe('PermissionViolationError');
  const refused = (async () => {
    for await (const status of connection.status()) if (status.type === 'error') return status.error.message;
    return 'nothing was refused';
  })();
  connection.publish('foreign.thing', 'hello');
  await connection.flush();
  expect(await refused).toContain('Permissions Violation for Publish to "foreign.thing"');
});

test('a wrong password is rejected', async () => {
  const nats = await start(join(await temporaryDirectory(), 'nats'));
  await expect(connectAs({ ...admin, password: 'wrong' }, nats)).rejects.toThrow(/authoriz/i);
});

test('an acknowledged message survives kill -9', async () => {
  const storeDir = join(await temporaryDirectory(), 'nats');
  const first = await start(storeDir);
  const before = await connectAs(admin, first);
  await (await jetstreamManager(before)).streams.add({ name: 'kept', subjects: ['kept.>'] });
  await jetstream(before).publish('kept.one', 'hello');
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toBeNull();
  const after = await connectAs(admin, await start(storeDir));
  const { state } = await (await jetstreamManager(after)).streams.info('kept');
  expect(state.messages).toBe(1);
});

test('only the owner can read the file with the passwords, and monitoring responds', async () => {
  const storeDir = join(await temporaryDirectory(), 'nats');
  const nats = await start(storeDir);
  expect((await stat(join(storeDir, 'nats-server.json'))).mode & 0o777).toBe(0o600);
  expect(nats.monitorUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect((await fetch(`${nats.monitorUrl}/healthz`)).status).toBe(200);
});

test('a nats-server older than 2.14 is refused', async () => {
  const file = join(await temporaryDirectory(), 'nats-server');
  await writeFile(file, '#!/bin/sh\necho "nats-server: v2.12.3"\n');
  await chmod(file, 0o755);
  await expect(refuseOldVersion(file)).rejects.toThrow(
    'is nats-server: v2.12.3: install nats-server 2.14 or newer',
  );
});
