import { randomBytes, randomUUID } from 'node:crypto';
import { tenantDeleted } from '@botyard/contracts/events/tenancy';
import { keepMails } from '@botyard/contracts/events/webhook-requests';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform } from '@botyard/shared/db/database';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { createLog } from '@botyard/shared/log/log';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { webhooksConfig } from '../../../../src/config.ts';
import { createAttachmentExpiry } from '../../../../src/files/domain/removal.ts';
import { expireOriginals } from '../../../../src/housekeeping/store/housekeeping.ts';
import { mailsOf, newMail, postMail, saveMailbox, type TestMailbox, triple } from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

const quota = 1_000_000;
const env = { TENANT_MAIL_BYTES: String(quota), OBJECT_STORE_MAX_MEGABYTES: '256' };
let services: WebhooksServices;
let webhooks: TestService;
/** Another process, so that simultaneous requests meet in the database. */
let second: TestService;
let mailbox: TestMailbox;

beforeAll(async () => {
  services = await openWebhooksServices();
  [webhooks, second] = await Promise.all([startWebhooks(services, env), startWebhooks(services, env)]);
  mailbox = await saveMailbox(services);
  // The first file makes the place where they lie.
  for (const service of [webhooks, second])
    await eventually('files are taken', async () => (await post([note('first')], service)).status === 200);
});
afterAll(() => closeWebhooksServices(services));
beforeEach(async () => {
  mailbox = await saveMailbox(services);
});

interface File {
  attachment_id: string;
  object_key: string;
  size_bytes: number;
  missing_reason: string | null;
  extracted_text: string | null;
}
const filesOf = ({ tenantId }: TestMailbox) =>
  services.harness.asOwner<File & Record<string, unknown>>(
    'select * from webhooks.mail_attachments where tenant_id = $1 order by attachment_id',
    [tenantId],
  );
/** The bytes in the tables, and the counted bytes. */
async function bytesOf({ tenantId }: TestMailbox): Promise<{ held: number; counted: number | undefined }> {
  const [row] = await services.harness.asOwner<{ held: number; counted: number | null }>(
    `select ((select coalesce(sum(size_bytes), 0) from webhooks.mail_attachments
                where tenant_id = $1 and missing_reason is null)
           + (select coalesce(sum(coalesce(octet_length(original_text), 0) + coalesce(octet_length(html), 0)), 0)
                from webhooks.mails where tenant_id = $1))::float8 as held,
       (select bytes::float8 from webhooks.storage_use where tenant_id = $1) as counted`,
    [tenantId],
  );
  return { held: row!.held, counted: row!.counted ?? undefined };
}
const objects = async () =>
  createNatsObjects(await services.harness.busAs('webhooks'), { maxBytes: 256 * 1024 ** 2 });
const storage = async (ownLimit?: number | null) =>
  await ask(await services.harness.busAs('tenancy'), keepMails, {
    tenantId: mailbox.tenantId,
    ...(ownLimit === undefined ? {} : { ownLimit }),
  });
const big = (bytes = 200_000) => ({ name: 'big.bin', bytes: randomBytes(bytes) });
const note = (text: string) => ({ name: 'note.txt', type: 'text/plain', bytes: Buffer.from(text) });
const post = (files = [big()], service = webhooks, text = 'Hello') =>
  postMail(service, mailbox, newMail(mailbox, { text, from: `anna-${randomUUID()}@example.com` }), { files });

test('L-03: simultaneous mails in two processes never exceed the storage of their tenant, and all are accepted', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, number) =>
      post([big(), note(`note ${number}`)], number % 2 === 0 ? webhooks : second),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
  const files = await filesOf(mailbox);
  const kept = files.filter((file) => file.missing_reason === null);
  expect([kept.length, files.length]).toEqual([8, 12]);
  expect(new Set(files.map((file) => file.missing_reason))).toEqual(new Set([null, 'storage_full']));
  const { held, counted } = await bytesOf(mailbox);
  expect(counted).toBe(held);
  expect(held).toBeGreaterThan(800_000);
  expect(held).toBeLessThanOrEqual(quota);
  expect(await storage()).toEqual({ limit: quota, ownLimit: null, defaultLimit: quota, used: held });
  const store = await objects();
  for (const { object_key: key, missing_reason: reason } of files) {
    const content = await store.get(key);
    expect([reason, content === null]).toEqual([reason, reason !== null]);
    content?.destroy();
  }
  // The sender has no disadvantage: each mail becomes a message, with the text of its files.
  await publishedAll(services);
  const messages = (await eventsOf(services.harness, messageReceived)).filter(
    ({ botId }) => botId === mailbox.botId,
  );
  expect(messages.map(({ mail }) => mail!.documents.at(-1)?.text).toSorted()).toEqual(
    Array.from({ length: 6 }, (_, number) => `note ${number}`),
  );
});

test('L-03: an operator lifts the limit for one tenant, and later files are stored', async () => {
  expect(await storage(10)).toMatchObject({ limit: 10, ownLimit: 10, defaultLimit: quota });
  await post([note('more than ten bytes')], webhooks, 'a text that is longer than ten bytes');
  expect(await filesOf(mailbox)).toMatchObject([
    { missing_reason: 'storage_full', extracted_text: 'more than ten bytes' },
  ]);
  // There is no room for the original mail either; its text is stored.
  expect(await mailsOf(services, mailbox)).toMatchObject([
    { state: 'admitted', text: 'a text that is longer than ten bytes', original_text: null, html: null },
  ]);
  expect(await bytesOf(mailbox)).toEqual({ held: 0, counted: 0 });
  expect(await storage(null)).toMatchObject({ limit: quota, ownLimit: null });
  await post([note('more than ten bytes')]);
  expect((await filesOf(mailbox)).map((file) => file.missing_reason)).toEqual(['storage_full', null]);
});

test('L-03: files without a mail, and files deleted with their tenant, free their storage', async () => {
  const mail = newMail(mailbox, { text: 'Hello' });
  const signature = triple({ key: mailbox.key! });
  await postMail(webhooks, mailbox, mail, { files: [big()], signature });
  const before = await bytesOf(mailbox);
  // A mail in answer to itself, and one of a machine: neither keeps its files.
  const automatic = newMail(mailbox, { headers: [['Auto-Submitted', 'auto-replied']] });
  await postMail(webhooks, mailbox, automatic, { files: [big()] });
  await postMail(second, mailbox, mail, { files: [big()], signature });
  const after = await eventually('what came to nothing is gone', async () => {
    const bytes = await bytesOf(mailbox);
    return bytes.held === before.held && bytes;
  });
  expect(after.counted).toBe(before.held);
  await services.harness.publish(tenantDeleted, { tenantId: mailbox.tenantId });
  await eventually('nothing is kept or counted of the tenant', async () => {
    const { held, counted } = await bytesOf(mailbox);
    return held === 0 && counted === undefined;
  });
});

test('L-03: after their days the originals and the bytes of files are removed, and free their storage; the texts stay', async () => {
  await post([note('an old note')], webhooks, 'an old mail');
  const [old] = await filesOf(mailbox);
  for (const table of ['mails', 'mail_attachments'])
    await services.harness.asOwner(
      `update webhooks.${table} set created_at = now() - interval '31 days' where tenant_id = $1`,
      [mailbox.tenantId],
    );
  await post([note('a new note')], webhooks, 'a new mail');
  const held = await saveMailbox(services, { tenantId: mailbox.tenantId, senderPolicy: 'authorized' });
  await postMail(webhooks, held, newMail(held, { text: 'a held mail' }), { files: [note('a held note')] });
  await services.harness.asOwner(
    `with old as (update webhooks.mails set created_at = now() - interval '31 days' where state = 'held' returning mail_id)
     update webhooks.mail_attachments set created_at = now() - interval '31 days' where mail_id in (select mail_id from old)`,
  );
  const before = await bytesOf(mailbox);
  const database = services.harness.databaseAs('webhooks');
  const store = await objects();
  const expiry = createAttachmentExpiry(
    { database, objects: store, log: createLog('test', 'silent') },
    { days: 30, everyMs: 20 },
  );
  expiry.start();
  onTestFinished(async () => {
    await expiry.stop();
  });
  await eventually('the old file has expired', async () =>
    (await filesOf(mailbox)).some((file) => file.missing_reason === 'expired'),
  );
  expect(await withPlatform(database, 'test', expireOriginals(30))).toBe(1);
  expect(await withPlatform(database, 'test', expireOriginals(30))).toBe(0);
  expect(await store.get(old!.object_key)).toBeNull();
  const left = (await filesOf(mailbox)).map((file) => [file.missing_reason, file.extracted_text]);
  expect(left).toEqual([
    ['expired', null],
    [null, 'a new note'],
    [null, 'a held note'],
  ]);
  const mails = [...(await mailsOf(services, mailbox)), ...(await mailsOf(services, held))];
  expect(mails.map(({ text, original_text: original }) => [text, original])).toEqual([
    ['an old mail', null],
    ['a new mail', 'a new mail'],
    ['a held mail', 'a held mail'],
  ]);
  const bytes = await bytesOf(mailbox);
  expect(bytes.counted).toBe(bytes.held);
  expect(bytes.held).toBe(before.held - 'an old note'.length - 'an old mail'.length);
});

test.each([
  ['TENANT_MAIL_BYTES', '-1'],
  ['TENANT_MAIL_BYTES', '1e9'],
  ['TENANT_MAIL_BYTES', 'a lot'],
  ['MAIL_RETENTION_DAYS', '0'],
  ['MAIL_RETENTION_DAYS', '36501'],
  ['MAIL_RETENTION_DAYS', 'never'],
] as const)('%s may not be %s', (name, value) => {
  expect(webhooksConfig.shape[name].safeParse(value).success).toBe(false);
});
