import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import type { EmailSecrets } from '@botyard/contracts/platforms/email';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import type { TestService } from '@botyard/testing/service-harness';
import { type Answer, anonymous } from '@botyard/testing/test-call';
import type { WebhooksServices } from './webhooks-services.ts';

/** A bot's mailbox as the tenancy service would announce it. */
export interface TestMailbox {
  tenantId: string;
  integrationId: string;
  botId: string;
  address: string;
  /** Without one nothing is verified. */
  key: string | undefined;
  senderPolicy: EmailSecrets['senderPolicy'];
  allowedLists: string[];
  isEnabled: boolean;
  revision: number;
}

export const newMailbox = (change: Partial<TestMailbox> = {}): TestMailbox => ({
  tenantId: randomUUID(),
  integrationId: randomUUID(),
  botId: randomUUID(),
  address: `bot-${randomUUID()}@bots.acme.example`,
  key: `key-${randomUUID()}`,
  senderPolicy: 'open',
  allowedLists: [],
  isEnabled: true,
  revision: 1,
  ...change,
});

/** Announces a mailbox, and waits until the service has received it. */
export async function saveMailbox(
  { harness }: Pick<WebhooksServices, 'harness'>,
  change: Partial<TestMailbox> = {},
): Promise<TestMailbox> {
  const mailbox = newMailbox(change);
  const { key, senderPolicy, allowedLists, ...integrations } = mailbox;
  const secrets: EmailSecrets = {
    senderPolicy,
    allowedLists,
    ...(key === undefined ? {} : { webhookSigningKey: key }),
  };
  const sealedSecrets = await Keyring.parse(harness.secretsKeys).seal(
    new Secret(JSON.stringify(secrets)),
    integrationBinding(mailbox),
  );
  await harness.publish(integrationSaved, { ...integrations, integrationType: 'email', sealedSecrets });
  await harness.settled('webhooks', 'tenancy');
  return mailbox;
}

export type Fields = Record<string, string | string[]>;
export interface TestFile {
  field?: string;
  name: string;
  type?: string;
  bytes: Buffer;
}

export interface Signing {
  key: string;
  token?: string;
  atSeconds?: number;
}

export const newToken = () => randomBytes(25).toString('hex');

/** The mailer's signature, made by the scheme. */
export function triple({ key, token = newToken(), atSeconds = Math.floor(Date.now() / 1000) }: Signing) {
  const timestamp = String(atSeconds);
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  return { timestamp, token, signature };
}

let mailNumber = 0;

/** The fields of a person's mail; `headers` are added in both places in which the mailer reports them. */
export function newMail(
  { address }: Pick<TestMailbox, 'address'>,
  change: { from?: string; text?: string; headers?: [string, string][]; fields?: Fields } = {},
): Fields & { messageId: string } {
  mailNumber += 1;
  const {
    from = 'Anna Keller <anna.keller@example.com>',
    text = 'Hello',
    headers = [],
    fields = {},
  } = change;
  const messageId = `mail-${mailNumber}-${randomUUID()}@mail.example.com`;
  const all: [string, string][] = [
    ['From', from],
    ['To', address],
    ['Subject', 'Where is my parcel?'],
    ['Message-Id', `<${messageId}>`],
    ...headers,
  ];
  const sender = /<([^>]*)>/.exec(from)?.[1] ?? from;
  const mail = {
    recipient: address,
    sender,
    from,
    subject: 'Where is my parcel?',
    ...Object.fromEntries(all),
    'message-headers': JSON.stringify(all),
    'body-plain': text,
    'stripped-text': text,
    ...fields,
  };
  return Object.defineProperty(mail, 'messageId', { value: messageId, enumerable: false }) as never;
}

/** As the mailer posts it: multipart where there are files. */
export async function encode(
  fields: Fields,
  files: readonly TestFile[] = [],
): Promise<{ rawBody: Uint8Array<ArrayBuffer>; headers: Record<string, string> }> {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
  if (files.length === 0) {
    const body = new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { rawBody: new Uint8Array(Buffer.from(body)), headers };
  }
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  for (const [index, { field = `attachment-${index + 1}`, name, type = '', bytes }] of files.entries())
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  const response = new Response(form);
  const headers = { 'content-type': response.headers.get('content-type')! };
  return { rawBody: new Uint8Array(await response.arrayBuffer()), headers };
}

/** Posts a form to a bot's address, or to the one for all, as the gateway passes it on. */
export async function postForm(
  service: TestService,
  botId: string | null,
  fields: Fields,
  files: readonly TestFile[] = [],
): Promise<Answer> {
  const path = botId === null ? '/webhooks/email' : `/webhooks/email/${botId}`;
  return await service.call('POST', path, { as: anonymous, ...(await encode(fields, files)) });
}

/** Posts a mail with a new signature, unless one is given. */
export function postMail(
  service: TestService,
  mailbox: TestMailbox,
  fields: Fields,
  { files = [], signature }: { files?: readonly TestFile[]; signature?: Record<string, string> } = {},
): Promise<Answer> {
  const signed = signature ?? (mailbox.key === undefined ? {} : triple({ key: mailbox.key }));
  return postForm(service, mailbox.botId, { ...fields, ...signed }, files);
}

export interface StoredMail {
  mail_id: string;
  thread_id: string;
  state: string;
  is_automatic: boolean;
  reason: string | null;
  text: string;
  subject: string;
  sender: string;
  sender_name: string;
  message_id: string;
  original_text: string | null;
  html: string | null;
}

/** A bot's received and stored mails, in order. */
export const mailsOf = (
  { harness }: Pick<WebhooksServices, 'harness'>,
  { botId }: Pick<TestMailbox, 'botId'>,
) =>
  harness.asOwner<StoredMail>(
    `select * from webhooks.mails where bot_id = $1 and direction = 'in' order by mail_id`,
    [botId],
  );

const fixtures = new URL('../../../test/fixtures/mailer/', import.meta.url);

/** A sample's fields and files. */
export function sampleForm(name: string): { fields: Fields; files: TestFile[] } {
  const sample = JSON.parse(readFileSync(new URL(`${name}.json`, fixtures), 'utf8')) as Record<
    string,
    unknown
  >;
  const fields: Fields = {};
  const files: TestFile[] = [];
  for (const [field, value] of Object.entries(sample)) {
    const file = value as { _file?: boolean; filename: string; content_type: string; base64: string };
    if (file._file)
      files.push({
        field,
        name: file.filename,
        type: file.content_type,
        bytes: Buffer.from(file.base64, 'base64'),
      });
    else fields[field] = String(value);
  }
  return { fields, files };
}
