import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type RunningNats, startNatsServer } from '../../../../../tools/embedded/nats-server.ts';
import { Bus } from '../../../src/bus/bus.ts';
import { natsPermissions } from '../../../src/bus/permissions.ts';
import { createNatsObjects } from '../../../src/files/objects/nats-objects.ts';
import { createLog } from '../../../src/log/log.ts';

const namespace = 'files';
/** Checks whether the server is up. */
const operator = { user: 'operator', password: 'operator', publish: ['>'], subscribe: ['>'] };
const users = ['webhooks', 'usage'].map((user) => ({
  user,
  password: user,
  ...natsPermissions(namespace, user),
}));

async function storeAs(service: 'webhooks' | 'usage', { url }: RunningNats) {
  const bus = new Bus({
    service,
    url,
    namespace,
    user: service,
    password: service,
    log: createLog('test', 'silent'),
  });
  await bus.connect();
  return { store: createNatsObjects(bus, { maxBytes: 16 * 1024 * 1024 }), close: () => bus.close() };
}

test('a service that keeps files may do so with the rights that its user has, and another one may not', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'botyard-nats-'));
  const nats = await startNatsServer({ storeDir: directory, users: [operator, ...users], log: () => {} });
  const [keeper, other] = [await storeAs('webhooks', nats), await storeAs('usage', nats)];
  try {
    const bytes = randomBytes(3_000_000);
    await keeper.store.put('a/b/c', Readable.from([bytes]), { sizeBytes: bytes.length, sha256: '' });
    expect((await buffer((await keeper.store.get('a/b/c'))!)).equals(bytes)).toBe(true);
    expect(await keeper.store.sweep()).toBe(0);
    await expect(other.store.get('a/b/c')).rejects.toMatchObject({ status: 503 });
    await keeper.store.remove('a/b/c');
    expect(await keeper.store.get('a/b/c')).toBeNull();
  } finally {
    await Promise.all([keeper.close(), other.close()]);
    await nats.stop();
    await rm(directory, { recursive: true, force: true });
  }
});
