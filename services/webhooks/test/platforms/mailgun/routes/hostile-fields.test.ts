import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailsOf, newMail, postMail, saveMailbox, type TestMailbox } from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
/** Only so many mails of an hour are taken of each. */
const mailboxes: TestMailbox[] = [];

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
});
afterAll(() => closeWebhooksServices(services));

/**
 * Characters that Postgres can't store in text or that JSON doesn't allow: unescaped, escaped in JSON, and in an
 * encoded word.
 */
const hostile = {
  'U+0000': 'a\0b',
  'a word that decodes to U+0000': '=?utf-8?Q?a=00b?=',
  'half a surrogate pair': 'a\ud800b',
  'a word that decodes to half a pair': '=?utf-16be?B?2AAAYQ==?=',
};
const headers = [
  'Message-Id',
  'In-Reply-To',
  'References',
  'From',
  'To',
  'Cc',
  'Reply-To',
  'Subject',
  'Date',
];
const others = [
  'Auto-Submitted',
  'List-Id',
  'X-Mailgun-Sid',
  'Authentication-Results',
  'Received',
  'Content-Type',
];
const fields = ['recipient', 'sender', 'from', 'subject', 'body-plain', 'body-html', 'stripped-text'];
const more = [
  'stripped-signature',
  'content-id-map',
  'message-headers',
  'attachment-count',
  'a\0b',
  'constructor',
];

async function isTaken(
  mailbox: TestMailbox,
  mail: ReturnType<typeof newMail>,
  files?: Parameters<typeof postMail>[3],
): Promise<void> {
  const { status, text } = await postMail(webhooks, mailbox, mail, files);
  expect([200, 400, 406, 413], text).toContain(status);
}

const valuesOf = (value: string) => [value, `Anna ${value} <${value}@mail.example.com>`];

test.each(Object.entries(hostile))(
  'W-12: %s in any header or field of a mail is never an error of ours',
  async (_what, value) => {
    for (const hostileValue of valuesOf(value)) {
      const mailbox = await saveMailbox(services);
      mailboxes.push(mailbox);
      for (const name of [...headers, ...others]) {
        await isTaken(mailbox, newMail(mailbox, { headers: [[name, hostileValue]] }));
      }
      for (const name of [...fields, ...more]) {
        await isTaken(mailbox, newMail(mailbox, { fields: { [name]: hostileValue } }));
      }
      for (const name of ['content-id-map', 'message-headers'])
        await isTaken(
          mailbox,
          newMail(mailbox, { fields: { [name]: JSON.stringify({ [hostileValue]: hostileValue }) } }),
        );
      const bytes = Buffer.from(hostileValue);
      await isTaken(mailbox, newMail(mailbox), {
        files: [{ name: hostileValue, type: 'text/plain', bytes }],
      });
      await isTaken(mailbox, newMail(mailbox), {
        files: [{ name: 'a.txt', type: `text/plain; charset=${value}`, bytes }],
      });
    }
  },
);

test('W-12: accepted mails were published as messages that match the contract', async () => {
  await publishedAll(services);
  const mails = await Promise.all(mailboxes.map((mailbox) => mailsOf(services, mailbox)));
  const taken = mails.flat().filter(({ state }) => state === 'admitted');
  expect(taken.length).toBeGreaterThan(100);
  // Each is parsed here.
  const events = await eventsOf(services.harness, messageReceived);
  expect(JSON.stringify(events)).not.toMatch(/\\u0000|\\ud[89a-f]/);
});
