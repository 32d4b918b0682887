import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Fields,
  mailsOf,
  postForm,
  sampleForm,
  saveMailbox,
  type TestMailbox,
  triple,
} from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

const folder = join(import.meta.dirname, '../../../../../../test/fixtures/mailer');
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.replace('.json', ''));

/** The verdict for each sample after it is signed again, and the data that is stored. */
const verdicts: Record<
  string,
  { status: number; text?: string; mail?: Record<string, unknown>; resign?: false }
> = {
  attachment_only_no_body: { status: 200, text: '', mail: { subject: '' } },
  attachments: { status: 200, text: 'See attachments.' },
  auto_reply_exchange: {
    status: 200,
    text: 'Bin im Urlaub.',
    mail: { state: 'ignored', is_automatic: true, reason: 'automatic mail: Auto-Submitted' },
  },
  auto_submitted_no: { status: 200, text: 'Das ist kein Automat.' },
  broken_charset_subject: {
    status: 200,
    text: 'Gr\uFFFD\uFFFDe',
    mail: { subject: 'R\uFFFDckfrage \uFFFD\uFFFD' },
  },
  eleven_attachments: { status: 413 },
  header_injection_subject: {
    status: 200,
    text: 'Hi',
    mail: { subject: 'Hi Bcc: victim@example.com', message_id: 'CAF1inj033@mail.example.com' },
  },
  missing_signature: { status: 406, resign: false },
  new_thread_plain: { status: 200, text: 'Hello,\n\nwhere is parcel 4711?' },
  non_utf8_subject: {
    status: 200,
    text: 'Grüße',
    mail: { subject: 'Rückfrage zu Überweisung', sender: 'yamada@example.jp', sender_name: '山田' },
  },
  own_message_loop: { status: 200 },
  replay_forged_body: { status: 406 },
  reply_to_differs: { status: 200, text: 'Hi', mail: { sender: 'anna.keller@example.com' } },
  reply_with_quote: { status: 200, text: 'Thanks, that helps.', mail: { sender_name: 'Anna Keller' } },
  signature_not_hex_short: { status: 406, resign: false },
  signature_uppercase_hex: { status: 200, text: 'x' },
  stale_timestamp: { status: 406, resign: false },
  subaccount_parent_signature: { status: 200, text: 'Hi' },
  unknown_recipient: { status: 406 },
};

const key = 'test-webhook-signing-key-0123456789abcdef';
let services: WebhooksServices;
let webhooks: TestService;
let number = 0;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
});
afterAll(() => closeWebhooksServices(services));

/** Each sample has the address for itself: it is the only one that they name. */
async function mailboxFor(
  name: string,
): Promise<{ mailbox: TestMailbox; fields: Fields; files: ReturnType<typeof sampleForm>['files'] }> {
  number += 1;
  const mailbox = await saveMailbox(services, { key, address: `support@bots-${number}.acme.example` });
  const { fields, files } = sampleForm(name);
  const own = (value: string) => value.replaceAll('support@bots.acme.example', mailbox.address);
  return {
    mailbox,
    files,
    fields: Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, own(String(value))])),
  };
}

function resigned(name: string, fields: Fields): Fields {
  if (verdicts[name]?.resign === false) {
    // Only the age may be wrong with it.
    const isStale = name === 'stale_timestamp';
    return isStale
      ? { ...fields, ...triple({ key, atSeconds: Math.floor(Date.now() / 1000) - 9 * 3600 }) }
      : fields;
  }
  const fresh = triple({ key });
  return {
    ...fields,
    ...fresh,
    signature: name.includes('uppercase') ? fresh.signature.toUpperCase() : fresh.signature,
  };
}

test('every sample has a verdict', () => {
  expect(Object.keys(verdicts).sort()).toEqual(names.sort());
});

describe.each(['the address for all', "the bot's own address"])('posted to %s', (address) => {
  test.each(names.map((name) => [name, verdicts[name]!] as const))('%s', async (name, wanted) => {
    const { mailbox, fields, files } = await mailboxFor(name);
    const signed = resigned(name, fields);
    const isForAll = address === 'the address for all';
    if (name === 'replay_forged_body') {
      const first = await postForm(webhooks, mailbox.botId, {
        ...signed,
        'body-plain': 'Transfer 5 EUR to Anna',
      });
      expect(first.status).toBe(200);
    }
    const answer = await postForm(webhooks, isForAll ? null : mailbox.botId, signed, files);
    const isNobody = name === 'unknown_recipient' && !isForAll;
    expect(answer.status).toBe(isNobody ? 200 : wanted.status);
    const mails = await mailsOf(services, mailbox);
    if (name === 'replay_forged_body')
      expect(mails.map(({ original_text: text }) => text)).toEqual(['Transfer 5 EUR to Anna']);
    else if (wanted.text === undefined)
      expect(mails.map(({ state }) => state)).toEqual(isNobody ? ['admitted'] : []);
    else
      expect(mails).toEqual([
        expect.objectContaining({ state: 'admitted', text: wanted.text, ...wanted.mail }),
      ]);
  });
});

test('admitted samples were published as messages that match the contract', async () => {
  await publishedAll(services);
  const events = await eventsOf(services.harness, messageReceived);
  expect(events.length).toBeGreaterThan(20);
  const scan = events.find(({ mail }) => mail?.documents.some(({ name }) => name === 'scan.pdf'));
  expect(scan).toMatchObject({
    platform: 'email',
    content: 'unsupported',
    attachment: { kind: 'document', name: 'scan.pdf' },
  });
  const names = events.flatMap(
    ({ mail }) => mail?.documents.map(({ name, mediaType }) => `${name} ${mediaType}`) ?? [],
  );
  expect(names).toContain('Rechnung März.pdf application/pdf');
  expect(names).toContain('passwd application/octet-stream');
});
