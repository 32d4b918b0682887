import { withPlatform } from '@botyard/shared/db/database';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pruneHeldMails, pruneRows } from '../../../../src/housekeeping/store/housekeeping.ts';
import { mailsOf, newMail, postMail, saveMailbox } from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  openWebhooksServices,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
});
afterAll(() => closeWebhooksServices(services));

const prune = (what: typeof pruneHeldMails) =>
  withPlatform(services.harness.databaseAs('webhooks'), 'housekeeping', what);

test('mail that waited for 30 days is removed with its files and its thread; newer and admitted mail stays', async () => {
  const mailbox = await saveMailbox(services, { senderPolicy: 'authorized' });
  const files = [{ name: 'a.txt', bytes: Buffer.from('a') }];
  for (let number = 0; number < 3; number += 1)
    await postMail(webhooks, mailbox, newMail(mailbox), { files });
  const [old, admitted, young] = await mailsOf(services, mailbox);
  const age = "now() - interval '31 days'";
  await services.harness.asOwner(
    `update webhooks.mails set created_at = ${age} where mail_id = any ($1::uuid[])`,
    [[old!.mail_id, admitted!.mail_id]],
  );
  await services.harness.asOwner(`update webhooks.mail_threads set last_mail_at = ${age} where bot_id = $1`, [
    mailbox.botId,
  ]);
  await services.harness.asOwner(`update webhooks.mails set state = 'admitted' where mail_id = $1`, [
    admitted!.mail_id,
  ]);
  // The link that the sender got.
  await services.harness.asOwner(
    `insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name, recipient,
       subject, text, state) values ($1, gen_random_uuid(), $2, $3, 'out', 'link@x', '', '', '', '', '', 'sent')`,
    [mailbox.tenantId, old!.thread_id, mailbox.botId],
  );
  expect(await prune(pruneHeldMails)).toBe(1);
  const left = await mailsOf(services, mailbox);
  expect(left.map(({ mail_id: mailId }) => mailId)).toEqual([admitted!.mail_id, young!.mail_id]);
  const threads = await services.harness.asOwner('select from webhooks.mail_threads where bot_id = $1', [
    mailbox.botId,
  ]);
  expect(threads).toHaveLength(2);
  const links = await services.harness.asOwner('select from webhooks.mails where thread_id = $1', [
    old!.thread_id,
  ]);
  expect(links).toEqual([]);
  const due = await services.harness.asOwner<{ mail_id: string }>(
    'select mail_id from webhooks.mail_attachments where tenant_id = $1 and remove_at is null order by mail_id',
    [mailbox.tenantId],
  );
  expect(due.map(({ mail_id: mailId }) => mailId)).toEqual([admitted!.mail_id, young!.mail_id]);
});

test('a signature is known for 24 hours', async () => {
  const mailbox = await saveMailbox(services);
  await postMail(webhooks, mailbox, newMail(mailbox));
  await postMail(webhooks, mailbox, newMail(mailbox));
  const tokens = () =>
    services.harness.asOwner('select token from webhooks.mail_tokens where bot_id = $1', [mailbox.botId]);
  await services.harness.asOwner(
    `update webhooks.mail_tokens set created_at = now() - interval '24 hours 1 minute'
     where token = (select token from webhooks.mail_tokens where bot_id = $1 limit 1)`,
    [mailbox.botId],
  );
  await prune(pruneRows('mail_tokens'));
  expect(await tokens()).toHaveLength(1);
});
