import { randomUUID } from 'node:crypto';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { Outbox } from '@botyard/shared/bus/outbox';
import { withTenant } from '@botyard/shared/db/database';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePdf, pageOf } from '../../../../../../agents/test/knowledge/domain/pdf.ts';
import { releaseHeld } from '../../../../../src/platforms/mailgun/domain/inbound/release-held.ts';
import { newMail, postMail, saveMailbox, type TestMailbox } from '../../../../mailboxes.ts';
import { slowPdf } from '../../../../slow-pdf.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
});
afterAll(() => closeWebhooksServices(services));

const invoice = { name: 'invoice.pdf', bytes: makePdf([pageOf('Invoice 4711')]) };
const slow = { name: 'slow.pdf', bytes: slowPdf };
const page = { name: 'page.html', bytes: Buffer.from('<html><p>Kettles</p></html>') };

const post = async (mailbox: TestMailbox, mail: ReturnType<typeof newMail>, files = [slow]) => {
  const startedAt = performance.now();
  const { status } = await postMail(webhooks, mailbox, mail, { files });
  expect(status).toBe(200);
  return performance.now() - startedAt;
};
const messagesOf = async ({ botId }: TestMailbox) => {
  await publishedAll(services);
  return (await eventsOf(services.harness, messageReceived)).filter((message) => message.botId === botId);
};
const arrived = (mailbox: TestMailbox, count: number) =>
  eventually(
    `${count} messages are passed on`,
    async () => {
      const messages = await messagesOf(mailbox);
      return messages.length >= count && messages;
    },
    { everyMs: 100 },
  );
const waitingOf = ({ tenantId }: TestMailbox) =>
  services.harness.asOwner('select from webhooks.mail_readings where tenant_id = $1', [tenantId]);

test('a mail with a slow PDF is answered before it is read, and passed on with the reason why it has no text', async () => {
  const mailbox = await saveMailbox(services);
  const tookMs = await post(mailbox, newMail(mailbox), [slow, invoice, page]);
  expect(await messagesOf(mailbox)).toEqual([]);
  expect(tookMs).toBeLessThan(2500);
  const [message] = await arrived(mailbox, 1);
  expect(message!.mail!.documents).toEqual([
    expect.objectContaining({ name: 'slow.pdf', textMissing: 'too_slow' }),
    expect.objectContaining({ name: 'invoice.pdf', text: 'Page 1\nInvoice 4711' }),
    expect.objectContaining({ name: 'page.html', text: 'Kettles' }),
  ]);
  const [row] = await services.harness.asOwner<{ admitted_at: Date }>(
    'select admitted_at from webhooks.mails where bot_id = $1',
    [mailbox.botId],
  );
  expect(message!.receivedAt).toBe(row!.admitted_at.toISOString());
  expect(await waitingOf(mailbox)).toEqual([]);
});

test('later mails of a conversation are passed on after a mail whose documents are being read, in order', async () => {
  const mailbox = await saveMailbox(services);
  const first = newMail(mailbox, { text: 'first' });
  const answers = (text: string, headers: [string, string][] = []) =>
    newMail(mailbox, { text, headers: [['In-Reply-To', `<${first.messageId}>`], ...headers] });
  await post(mailbox, first);
  await post(mailbox, answers('second'), []);
  await post(mailbox, answers('third'), [invoice]);
  await post(mailbox, answers('automatic', [['Auto-Submitted', 'auto-replied']]), []);
  await post(mailbox, newMail(mailbox, { text: 'of another thread', from: 'bert@example.com' }), []);
  const [other] = await arrived(mailbox, 1);
  expect(other!.text).toBe('of another thread');
  const messages = await arrived(mailbox, 5);
  const ofThread = messages.filter(({ text }) => text !== 'of another thread');
  expect(ofThread.map(({ text, seq }) => [text, seq])).toEqual([
    ['first', 1],
    ['second', 2],
    ['third', 3],
    ['automatic', 4],
  ]);
  expect(ofThread[2]!.mail!.documents[0]!.text).toBe('Page 1\nInvoice 4711');
  expect(ofThread[3]!.automaticReason).toContain('automatic');
});

test('the documents of held mails are read, and these are passed on with the texts once their sender is permitted', async () => {
  const mailbox = await saveMailbox(services, { senderPolicy: 'authorized' });
  const first = newMail(mailbox, { text: 'first' });
  await post(mailbox, first, [invoice]);
  await eventually('it is read', async () => (await waitingOf(mailbox)).length === 0);
  const headers: [string, string][] = [['In-Reply-To', `<${first.messageId}>`]];
  await post(mailbox, newMail(mailbox, { text: 'second', headers }), [slow]);
  await post(mailbox, newMail(mailbox, { text: 'third', headers }), []);
  const { tenantId, botId, integrationId } = mailbox;
  const database = services.harness.databaseAs('webhooks');
  const outbox = new Outbox({ bus: await services.harness.busAs('webhooks'), database, schema: 'webhooks' });
  const sender = 'anna.keller@example.com';
  expect(await messagesOf(mailbox)).toEqual([]);
  await withTenant(database, [tenantId], (tx) =>
    releaseHeld({ outbox, showWritten: async () => undefined, wakeMailReading: () => undefined }, tx, {
      tenantId,
      botId,
      integrationId,
      sender,
    }),
  );
  const messages = await arrived(mailbox, 3);
  expect(
    messages.map(({ text, mail }) => [text, mail!.documents.map((one) => one.text ?? one.textMissing)]),
  ).toEqual([
    ['first', ['Page 1\nInvoice 4711']],
    ['second', ['too_slow']],
    ['third', []],
  ]);
});

test("a document beyond the tenant's storage is read, and its bytes are removed", async () => {
  const mailbox = await saveMailbox(services);
  await services.harness.asOwner(
    'insert into webhooks.storage_use (tenant_id, bytes, limit_bytes) values ($1, 0, 10)',
    [mailbox.tenantId],
  );
  await post(mailbox, newMail(mailbox), [invoice]);
  const [message] = await arrived(mailbox, 1);
  expect(message!.mail!.documents[0]!.text).toBe('Page 1\nInvoice 4711');
  const [file] = await services.harness.asOwner<{ object_key: string; missing_reason: string }>(
    'select object_key, missing_reason from webhooks.mail_attachments where tenant_id = $1',
    [mailbox.tenantId],
  );
  const objects = createNatsObjects(await services.harness.busAs('webhooks'), { maxBytes: 2 ** 26 });
  expect([file!.missing_reason, await objects.get(file!.object_key)]).toEqual(['storage_full', null]);
});

test("three tenants' hostile PDFs don't keep another tenant's invoice from being read", async () => {
  const hostile = await Promise.all([1, 2, 3].map(() => saveMailbox(services)));
  for (const mailbox of hostile)
    for (let number = 0; number < 2; number += 1)
      await post(
        mailbox,
        newMail(mailbox, { from: `m-${randomUUID()}@example.com` }),
        Array.from({ length: 10 }, () => slow),
      );
  const victim = await saveMailbox(services);
  await post(victim, newMail(victim), [invoice]);
  const [message] = await arrived(victim, 1);
  expect(message!.mail!.documents[0]!.text).toBe('Page 1\nInvoice 4711');
  const left = await Promise.all(hostile.map(waitingOf));
  expect(left.map((rows) => rows.length > 0)).toEqual([true, true, true]);
});
