import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Bus } from '@botyard/shared/bus/bus';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import { createS3Objects } from '@botyard/shared/files/objects/s3-objects';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { startFlood } from '@botyard/testing/flood';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { natsPermissions } from '../../../src/bus/permissions.ts';
import { type FakeS3, s3Keys, startFakeS3 } from './fake-s3.ts';

const namespace = `test_${randomUUID().replaceAll('-', '')}`;
const megabyte = 1024 * 1024;
let bus: Bus;
let s3: FakeS3;
const stores: Record<string, ObjectStore> = {};
const tenantId = randomUUID();
const keyOf = () => `${tenantId}/${randomUUID()}/${randomUUID()}`;
const factsOf = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
const put = (store: ObjectStore, key: string, bytes: Buffer) =>
  store.put(key, Readable.from([bytes]), factsOf(bytes));

beforeAll(async () => {
  bus = new Bus({ service: 'webhooks', url: inject('natsUrl'), namespace, log: createLog('test', 'silent') });
  await bus.connect();
  s3 = await startFakeS3();
  stores.nats = createNatsObjects(bus, { maxBytes: 32 * megabyte });
  const secretAccessKey = new Secret(s3Keys.secretAccessKey);
  stores.s3 = createS3Objects({
    url: s3.url,
    region: 'us-east-1',
    accessKeyId: s3Keys.accessKeyId,
    secretAccessKey,
  });
});
afterAll(async () => {
  await bus.live().manager.streams.delete(`OBJ_${namespace}_objects`);
  await bus.close();
  await s3.close();
});

describe.each(['nats', 's3'])('the object store of %s', (name) => {
  test.each([0, 1, 256 * 1024, 5 * megabyte + 7])('returns %i bytes unchanged', async (size) => {
    const store = stores[name]!;
    const bytes = randomBytes(size);
    const key = keyOf();
    await put(store, key, bytes);
    expect((await buffer((await store.get(key))!)).equals(bytes)).toBe(true);
    await store.remove(key);
    await store.remove(key);
    expect(await store.get(key)).toBeNull();
  });

  test('knows nothing of another key, and takes none that isn’t ours', async () => {
    const store = stores[name]!;
    expect(await store.get(keyOf())).toBeNull();
    for (const key of ['', 'a', '../a/b', 'a/b c', 'a//b', '/a/b', 'a/*', 'a/>'])
      await expect(put(store, key, Buffer.from('x'))).rejects.toMatchObject({ status: 503 });
  });

  test('keeps nothing of an object whose bytes end early', async () => {
    const store = stores[name]!;
    const key = keyOf();
    const broken = Readable.from(
      (async function* () {
        yield randomBytes(megabyte);
        throw new Error('the disk is gone');
      })(),
    );
    await expect(
      store.put(key, broken, { ...factsOf(Buffer.alloc(0)), sizeBytes: 2 * megabyte }),
    ).rejects.toMatchObject({ status: 503 });
    expect(await store.get(key)).toBeNull();
  });
});

test('an S3 store that refuses or fails is 503, and its error contains no secret', async () => {
  for (const status of [403, 500, 503]) {
    s3.failWith(status);
    const works = [
      () => put(stores.s3!, keyOf(), Buffer.from('x')),
      () => stores.s3!.get(keyOf()),
      () => stores.s3!.remove(keyOf()),
    ];
    for (const work of works) {
      const error = await work().then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      expect(error).toMatchObject({ status: 503 });
      expect(`${error} ${error?.cause}`).not.toContain(s3Keys.secretAccessKey);
    }
  }
  s3.failWith(undefined);
  const wrong = createS3Objects({
    url: s3.url,
    region: 'us-east-1',
    accessKeyId: 'x',
    secretAccessKey: new Secret('wrong'),
  });
  await expect(put(wrong, keyOf(), Buffer.from('x'))).rejects.toMatchObject({ status: 503 });
});

describe('the bus’s own store', () => {
  test('is bounded: an object beyond the limit is refused, and removed objects free space', async () => {
    const key = keyOf();
    await expect(put(stores.nats!, key, randomBytes(40 * megabyte))).rejects.toMatchObject({ status: 503 });
    await put(stores.nats!, key, randomBytes(20 * megabyte));
    await stores.nats!.remove(key);
    await put(stores.nats!, keyOf(), randomBytes(20 * megabyte));
  });

  test('leaves no trace of a key that was removed', async () => {
    const key = keyOf();
    await put(stores.nats!, key, Buffer.from('x'));
    await stores.nats!.remove(key);
    const { state } = await bus
      .live()
      .manager.streams.info(`OBJ_${namespace}_objects`, { subjects_filter: '>' });
    const subjects = Object.keys(state.subjects ?? {}).map((subject) =>
      Buffer.from(subject.split('.').at(-1)!, 'base64url').toString(),
    );
    expect(subjects).not.toContain(key);
  });

  test('sweeps chunks that belong to nothing only when they are old', async () => {
    await bus.live().jetstream.publish(`$O.${namespace}_objects.C.orphan`, 'x');
    expect(await stores.nats!.sweep()).toBe(0);
  });

  test('is open to the services that keep files, and to no other', () => {
    const subject = `$O.${namespace}_objects.>`;
    const open = ['gateway', 'tenancy', 'keys', 'usage', 'webhooks', 'agents'].filter((service) =>
      natsPermissions(namespace, service).publish.includes(subject),
    );
    expect(open).toEqual(['tenancy', 'webhooks', 'agents']);
  });
});

const storeAt = (url: string) =>
  createS3Objects({
    url,
    region: 'us-east-1',
    accessKeyId: s3Keys.accessKeyId,
    secretAccessKey: new Secret(s3Keys.secretAccessKey),
  });

test('an endless answer of a store to an upload is cut off at the bound', async () => {
  for (const status of [200, 500]) {
    const flood = await startFlood({ status });
    const bytes = Buffer.from('x');
    const facts = { sizeBytes: 1, sha256: createHash('sha256').update(bytes).digest('hex') };
    const sent = storeAt(flood.url).put(keyOf(), Readable.from([bytes]), facts);
    if (status === 200) await sent;
    else await expect(sent).rejects.toThrow('does not answer');
    expect(flood.sentBytes).toBeLessThan(50 * megabyte);
    await flood.close();
  }
});

test('an endless object of a store is cut off at the bound', async () => {
  const flood = await startFlood();
  const store = storeAt(flood.url);
  const read = async () => {
    for await (const _chunk of (await store.get(keyOf()))!);
  };
  await expect(read()).rejects.toThrow('more than 134217728 bytes');
  expect(flood.sentBytes).toBeLessThan(200 * megabyte);
  await flood.close();
});
