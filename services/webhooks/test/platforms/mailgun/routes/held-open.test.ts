import { type ClientRequest, request } from 'node:http';
import { identityHeader } from '@botyard/shared/auth/identity';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  encode,
  mailsOf,
  newMail,
  newMailbox,
  saveMailbox,
  type TestFile,
  type TestMailbox,
  triple,
} from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  openWebhooksServices,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
const open = new Set<ClientRequest>();

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
});
afterEach(() => {
  for (const post of open) post.destroy();
  open.clear();
});
afterAll(() => closeWebhooksServices(services));

/** Begins a post that isn't ended, and resolves once its bytes are sent, or it is answered, or nobody reads on. */
async function holdOpen(
  { type, from, begin }: { type: string; from: string; begin: string },
  bytes: number,
): Promise<void> {
  const { hostname, port } = new URL(webhooks.url);
  const headers = {
    [identityHeader]: await webhooks.identityOf(anonymous),
    'content-type': type,
    'x-forwarded-for': from,
    'content-length': '8000000',
  };
  const post = request({ method: 'POST', hostname, port, path: '/webhooks/email', headers });
  open.add(post);
  await new Promise<void>((resolve) => {
    post.on('error', resolve).on('response', resolve).setTimeout(300, resolve);
    post.write(begin + 'a'.repeat(bytes), () => resolve());
  });
}

/** Sizes that fill a budget of 256 MB to the last kilobyte: large posts first, then smaller ones in what they leave. */
const sizes = [
  ...Array.from({ length: 34 }, () => 7_600_000),
  ...Array.from({ length: 22 }, (_, number) => Math.max(1000, Math.round(6_000_000 / 2 ** (number / 1.5)))),
];
const urlencoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=x';
const ofHtml = '--x\r\ncontent-disposition: form-data; name="body-html"\r\n\r\n';

/** Some at a time, the largest first. */
async function holdAll(hold: (bytes: number, number: number) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < sizes.length; begin += 4)
    await Promise.all(sizes.slice(begin, begin + 4).map((bytes, index) => hold(bytes, begin + index)));
}

async function statusOfMail(
  mailbox: TestMailbox,
  from: string,
  files: readonly TestFile[] = [],
): Promise<number> {
  const signed = mailbox.key === undefined ? {} : triple({ key: mailbox.key });
  const form = await encode({ ...newMail(mailbox), ...signed }, files);
  const headers = { ...form.headers, 'x-forwarded-for': from };
  const options = { as: anonymous, rawBody: form.rawBody, headers };
  return (await webhooks.call('POST', '/webhooks/email', options)).status;
}

test('while a stranger holds 56 posts of junk open, mail from another address is accepted', async () => {
  const mailbox = await saveMailbox(services);
  await holdAll((bytes) => holdOpen({ type: urlencoded, from: '203.0.113.9', begin: 'body-html=' }, bytes));
  for (let count = 1; count <= 3; count += 1) expect(await statusOfMail(mailbox, '198.51.100.7')).toBe(200);
  expect(await mailsOf(services, mailbox)).toHaveLength(3);
});

test('strangers at 56 addresses that hold posts open close the reception to nobody', async () => {
  const mailbox = await saveMailbox(services);
  await holdAll((bytes, number) =>
    holdOpen({ type: multipart, from: `203.0.113.${number}`, begin: ofHtml }, bytes),
  );
  const file = { name: 'note.txt', bytes: Buffer.alloc(100_000, 'a') };
  expect(await statusOfMail(mailbox, '198.51.100.7')).toBe(200);
  expect(await statusOfMail(mailbox, '198.51.100.7', [file])).toBe(200);
  const withoutKey = await saveMailbox(services, newMailbox({ key: undefined }));
  expect(await statusOfMail(withoutKey, '198.51.100.8', [file])).toBe(200);
});

test('fields that are not kept take no room of their sender', async () => {
  const mailbox = await saveMailbox(services);
  for (let count = 1; count <= 8; count += 1)
    await holdOpen({ type: urlencoded, from: '198.51.100.7', begin: 'stripped-html=' }, 7_600_000);
  const file = { name: 'note.txt', bytes: Buffer.alloc(100_000, 'a') };
  expect(await statusOfMail(mailbox, '198.51.100.7', [file])).toBe(200);
});
