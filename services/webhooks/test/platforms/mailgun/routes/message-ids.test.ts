import { randomUUID } from 'node:crypto';
import type { TestService } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mailsOf, newMail, newMailbox, postMail, saveMailbox, type TestMailbox } from '../../../mailboxes.ts';
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

const anna = 'Anna Keller <anna.keller@example.com>';

interface Change {
  from?: string;
  text?: string;
  subject?: string;
  headers?: [string, string][];
  stripped?: string;
  hasId?: boolean;
}

async function post(
  mailbox: TestMailbox,
  { subject = 'Question', stripped, hasId = true, ...change }: Change,
) {
  const headers: [string, string][] = [['Subject', subject], ...(change.headers ?? [])];
  const fields = { subject, ...(stripped === undefined ? {} : { 'stripped-text': stripped }) };
  const mail = newMail(mailbox, { from: anna, ...change, headers, fields });
  if (!hasId) {
    delete mail['Message-Id'];
    const listed = JSON.parse(String(mail['message-headers'])) as [string, string][];
    mail['message-headers'] = JSON.stringify(listed.filter(([name]) => name !== 'Message-Id'));
  }
  expect((await postMail(webhooks, mailbox, mail)).status).toBe(200);
  const mails = await mailsOf(services, mailbox);
  return mails.at(-1)!;
}

async function answer(mailbox: TestMailbox, threadId: string, text = 'The parcel left our house on Monday.') {
  await services.harness.asOwner(
    `insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name, recipient,
       subject, text, state) values ($1, $2, $3, $4, 'out', $5, $6, '', 'anna.keller@example.com', 'Re: x', $7, 'sent')`,
    [mailbox.tenantId, uuidv7(), threadId, mailbox.botId, `${randomUUID()}@x.example`, mailbox.address, text],
  );
}

/** A mail of Anna, and the bot's answer. */
async function answered(change: Change = {}) {
  const mailbox = await saveMailbox(services);
  const { thread_id } = await post(mailbox, change);
  await answer(mailbox, thread_id);
  return { mailbox, threadId: thread_id };
}

const replaced: [string, string] = ['In-Reply-To', '<0102018f-000000@eu-west-1.amazonses.com>'];
const disproved: [string, string][] = [
  ['X-Mailgun-Spf', 'Fail'],
  ['X-Mailgun-Dkim-Check-Result', 'Fail'],
  ['Received', 'from x'],
];

describe('an answer to an id that a relay has replaced (chatwoot/chatwoot#10791)', () => {
  test('continues the thread of its subject in which the bot has written', async () => {
    const { mailbox, threadId } = await answered();
    expect((await post(mailbox, { subject: 'AW: Re: question', headers: [replaced] })).thread_id).toBe(
      threadId,
    );
  });

  test.each([
    ['of another person', { from: 'Ben <ben@example.com>', subject: 'Re: Question', headers: [replaced] }],
    ['of another subject', { subject: 'Re: Answer', headers: [replaced] }],
    ['of a disproved sender', { subject: 'Re: Question', headers: [replaced, ...disproved] }],
    ['that is no answer', { subject: 'Question' }],
  ] as [string, Change][])('does not, if it is one %s', async (_what, change) => {
    const { mailbox, threadId } = await answered();
    expect((await post(mailbox, change)).thread_id).not.toBe(threadId);
  });

  test('does not, where nobody has answered yet', async () => {
    const mailbox = await saveMailbox(services);
    const { thread_id } = await post(mailbox, {});
    expect((await post(mailbox, { subject: 'Re: Question', headers: [replaced] })).thread_id).not.toBe(
      thread_id,
    );
  });
});

describe("an answer with Outlook's number alone (mnapoli/externals#96)", () => {
  const root = Buffer.alloc(22, 5);
  const index = (bytes: Buffer): [string, string] => ['Thread-Index', bytes.toString('base64')];
  const ofAnswer = index(Buffer.concat([root, Buffer.alloc(5, 1)]));

  test('continues the thread, also with another subject', async () => {
    const { mailbox, threadId } = await answered({ headers: [index(root)] });
    expect((await post(mailbox, { subject: 'RE: other', headers: [ofAnswer] })).thread_id).toBe(threadId);
  });

  test('does not, if another person wrote it (tomolimo/mailanalyzer#20)', async () => {
    const { mailbox, threadId } = await answered({ headers: [index(root)] });
    const from = 'Ben <ben@example.com>';
    expect((await post(mailbox, { from, headers: [ofAnswer] })).thread_id).not.toBe(threadId);
  });
});

test('a mail without a Message-Id is the same for 24 hours, and another mail afterwards', async () => {
  const mailbox = await saveMailbox(services);
  const mail: Change = { hasId: false, headers: [['Date', 'Fri, 20 Nov 2026 18:40:00 +0000']] };
  const count = async () => (await mailsOf(services, mailbox)).length;
  await post(mailbox, mail);
  await post(mailbox, mail);
  expect(await count()).toBe(1);
  await post(mailbox, { ...mail, text: 'another' });
  expect(await count()).toBe(2);
  const daysAgo = async (days: number) => {
    const today = Math.floor(Date.now() / 86_400_000);
    await services.harness.asOwner(
      `update webhooks.mails set created_at = now() - $2 * interval '1 day',
         message_id = regexp_replace(message_id, '\\.\\d+@', '.' || ($3::int - ceil($2::float8)::int) || '@')
       where bot_id = $1 and text = 'Hello'`,
      [mailbox.botId, days, today],
    );
  };
  await daysAgo(0.9);
  await post(mailbox, mail);
  expect(await count()).toBe(2);
  await daysAgo(1.1);
  await post(mailbox, mail);
  expect(await count()).toBe(3);
});

test('words of a mail that was sent in the thread are no words of the person', async () => {
  const { mailbox } = await answered();
  const text = 'Thanks.\r\n\r\nSupport skrev\r\nThe parcel left our house on Monday.';
  const mail = await post(mailbox, { subject: 'Re: Question', text, stripped: 'Thanks.' });
  expect(mail.text).toBe('Thanks.');
  const other = await post(mailbox, { subject: 'Other', text, stripped: 'Thanks.' });
  expect(other.text).toContain('The parcel left our house');
});

test('a mail through an allowed list is answered, and its author is the correspondent', async () => {
  const mailbox = await saveMailbox(services, newMailbox({ allowedLists: ['support.acme.example'] }));
  const headers: [string, string][] = [
    ['List-Id', '<support.acme.example>'],
    ['List-Post', '<mailto:support@acme.example>'],
    ['X-Original-Sender', 'anna.keller@example.com'],
    ['Precedence', 'list'],
  ];
  const from = "'Anna' via Support <support@acme.example>";
  expect(await post(mailbox, { from, headers })).toMatchObject({
    state: 'admitted',
    sender: 'anna.keller@example.com',
    sender_name: 'Anna',
  });
  const other = headers.map(([name, value]): [string, string] => [
    name,
    value.replaceAll('support', 'sales'),
  ]);
  expect(await post(mailbox, { from: from.replace('support@', 'sales@'), headers: other })).toMatchObject({
    state: 'ignored',
    is_automatic: true,
    reason: expect.stringContaining('mailing list'),
    sender: 'anna.keller@example.com',
  });
});
