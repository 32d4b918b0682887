import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createS3Objects } from '@botyard/shared/files/objects/s3-objects';
import { Secret } from '@botyard/shared/secrets/secret';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNatsServer } from '../../../tools/embedded/nats-server.ts';
import { startPostgres } from '../../../tools/embedded/postgres.ts';
import { ProcessInstallation } from '../support/processes.ts';
import { startS3 } from '../support/s3-server.ts';
import { writeMail } from '../support/sandbox-mail.ts';

const log = () => undefined;
let directory: string;
let s3: Awaited<ReturnType<typeof startS3>>;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-s3-'));
  await chmod(directory, 0o711);
  s3 = await startS3(join(directory, 'objects'));
  ends.push(() => s3.stop());
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await rm(directory, { recursive: true, force: true });
});

test.each([0, 1, 256 * 1024, 5 * 1024 * 1024 + 7])('an S3 store returns %i bytes unchanged', async (size) => {
  const store = createS3Objects({
    url: s3.env.OBJECT_STORE_URL,
    region: 'us-east-1',
    accessKeyId: s3.env.OBJECT_STORE_ACCESS_KEY_ID,
    secretAccessKey: new Secret(s3.env.OBJECT_STORE_SECRET_ACCESS_KEY),
  });
  const bytes = randomBytes(size);
  const key = `${randomUUID()}/mail/${randomUUID()}`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await store.put(key, Readable.from([bytes]), { sizeBytes: size, sha256 });
  expect((await buffer((await store.get(key))!)).equals(bytes)).toBe(true);
  await store.remove(key);
  await store.remove(key);
  expect(await store.get(key)).toBeNull();
});

test('the file of a mail lies in the S3, is downloaded from there, and is not in a backup', async () => {
  const settingsDir = join(directory, 'settings');
  await mkdir(settingsDir);
  const settings = { fsync: 'off' };
  const postgres = await startPostgres({
    dataDir: join(directory, 'postgres'),
    password: 'owner',
    settings,
    log,
  });
  ends.push(() => postgres.stop());
  const nats = await startNatsServer({ storeDir: join(directory, 'nats'), users: [], log });
  ends.push(() => nats.stop());
  const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ...s3.env };
  const installation = await ProcessInstallation.prepare(settingsDir, env);
  ends.push(() => installation.stop());
  await installation.deploy('settings');
  await installation.deploy('migrate');
  await installation.start();
  await writeMail(installation.sandboxUrl, 'a harbour chart');
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ tenant: string; id: string }>(
    'select tenant_id as tenant, attachment_id as id from webhooks.mail_attachments',
  );
  await client.end();
  const [found] = rows;
  const kept = await readdir(join(directory, 'objects', 'botyard'), { recursive: true });
  expect(kept.filter((name) => name.includes(found?.id ?? 'nothing'))).not.toEqual([]);
  const answer = await fetch(`${installation.gatewayUrl}/api/email-threads/attachments/${found?.id}`, {
    headers: { 'x-tenant-id': found?.tenant ?? '' },
  });
  expect(await answer.text()).toBe('a harbour chart');
  const archive = join(directory, 'botyard.backup');
  await installation.deploy('backup', {}, archive);
  await installation.stopServices();
  expect(await installation.deploy('restore', {}, archive, '--replace')).toMatch(/, without files\n/);
});
