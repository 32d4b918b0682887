import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Bus } from '@botyard/shared/bus/bus';
import { createObjects } from '@botyard/shared/files/objects/settings';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { s3Keys, startFakeS3 } from './fake-s3.ts';

const namespace = `test_${randomUUID().replaceAll('-', '')}`;
const bucketStream = `OBJ_${namespace}_objects`;
const megabyte = 1024 * 1024;
const lines: string[] = [];
let bus: Bus;

beforeAll(async () => {
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  bus = new Bus({ service: 'webhooks', url: inject('natsUrl'), namespace, log });
  await bus.connect();
});
afterAll(async () => {
  await bus.live().manager.streams.delete(bucketStream);
  await bus.close();
});

const settings = { OBJECT_STORE_REGION: 'us-east-1', OBJECT_STORE_MAX_MEGABYTES: 1 };

async function put(store: ReturnType<typeof createObjects>, bytes: Buffer): Promise<string> {
  const key = `${randomUUID()}/${randomUUID()}`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await store.put(key, Readable.from([bytes]), { sizeBytes: bytes.length, sha256 });
  return key;
}

/** Nothing is written meanwhile: the store itself is asked until it takes something. */
async function showsUntil(words: string, mend: () => unknown): Promise<void> {
  const isShown = () => bus.stalls.list().some(({ reason }) => reason.includes(words));
  await eventually('it is shown', isShown);
  const warnings = () =>
    lines.filter(
      (line) => line.includes(`stalled: object store: no file can be kept: `) && line.includes(words),
    );
  await eventually('it is logged', () => warnings().length > 0);
  expect(warnings()).toHaveLength(1);
  await mend();
  await eventually('it is over', () => bus.stalls.list().length === 0);
}

test('F-66: a store that answers 507 is shown, and is used again automatically', async () => {
  const s3 = await startFakeS3();
  const store = createObjects(
    {
      ...settings,
      OBJECT_STORE_URL: s3.url,
      OBJECT_STORE_ACCESS_KEY_ID: s3Keys.accessKeyId,
      OBJECT_STORE_SECRET_ACCESS_KEY: new Secret(s3Keys.secretAccessKey),
    },
    bus,
  );
  s3.failWith(507);
  await expect(put(store, randomBytes(1000))).rejects.toMatchObject({ status: 503 });
  await showsUntil('507', () => s3.failWith(undefined));
  await put(store, randomBytes(1000));
  expect([...s3.objects.keys()].filter((key) => key.includes('trial'))).toEqual([]);
  await s3.close();
});

test('F-66: the full store of NATS is shown, and is used again once it has room', async () => {
  const store = createObjects(settings, bus);
  await put(store, randomBytes(megabyte / 2));
  await expect(put(store, randomBytes(megabyte))).rejects.toMatchObject({ status: 503 });
  await showsUntil('maximum bytes', async () => {
    const { manager } = bus.live();
    const { config } = await manager.streams.info(bucketStream);
    await manager.streams.update(bucketStream, { ...config, max_bytes: 8 * megabyte });
  });
  await put(store, randomBytes(megabyte));
});

test('F-70: a store whose stream an operator has deleted takes files again', async () => {
  const store = createObjects(settings, bus);
  const lost = await put(store, randomBytes(1000));
  await bus.live().manager.streams.delete(bucketStream);
  await store.get(lost).catch(() => undefined);
  const key = await eventually('a file is taken', () => put(store, randomBytes(1000)).catch(() => undefined));
  expect(await store.get(key)).not.toBeNull();
  expect(await store.get(lost)).toBeNull();
});
