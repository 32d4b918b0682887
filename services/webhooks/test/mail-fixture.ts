import { randomUUID } from 'node:crypto';
import { Outbox } from '@botyard/shared/bus/outbox';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { Secret } from '@botyard/shared/secrets/secret';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { v7 as uuidv7 } from 'uuid';
import { createApp as createTenancyApp } from '../../tenancy/src/app.ts';
import { tenancyConfig } from '../../tenancy/src/config.ts';
import { createApp } from '../src/app.ts';
import { webhooksConfig } from '../src/config.ts';
import type { Deps } from '../src/platforms/mailgun/deps.ts';
import type { Mailbox } from '../src/platforms/mailgun/domain/mailboxes.ts';
import { inviteSender } from '../src/platforms/mailgun/domain/senders/invite.ts';
import { mayWrite } from '../src/platforms/mailgun/domain/senders/sender-permission.ts';

/** Bots with mailboxes, of real tenants; mail is put into the tables as if it had come in. */
export interface MailFixture {
  harness: ServiceHarness;
  tenancy: TestService;
  service: TestService;
  database: Database;
  deps: Deps;
}

/** The mailbox of a bot, and the people of its tenant. */
export type Box = Mailbox & { people: People };

export const publicBaseUrl = 'https://bots.example.com';

export async function openMailFixture(env: Record<string, string> = {}): Promise<MailFixture> {
  const harness = await ServiceHarness.open();
  const tenancy = await harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp: createTenancyApp,
    env: {
      MESSENGER_API_URL: 'http://messenger.invalid',
      IDP_API_URL: 'http://idp.invalid/v1',
      MAILER_DOMAIN: 'bots.example',
    },
  });
  const service = await harness.start({
    service: 'webhooks',
    schema: webhooksConfig,
    createApp,
    env: { MESSENGER_API_URL: 'http://messenger.invalid', PUBLIC_BASE_URL: publicBaseUrl, ...env },
  });
  const database = harness.databaseAs('webhooks');
  const outbox = new Outbox({ bus: await harness.busAs('webhooks'), database, schema: 'webhooks' });
  const deps = {
    database,
    outbox,
    publicBaseUrl,
    wakeSender: () => {},
    log: harness.log('test'),
  } as unknown as Deps;
  return { harness, tenancy, service, database, deps };
}

/** A new bot with a mailbox; of a new tenant unless people are given. */
export async function newBox(
  { harness, tenancy }: MailFixture,
  { people, senderPolicy = 'authorized' }: { people?: People; senderPolicy?: Mailbox['senderPolicy'] } = {},
): Promise<Box> {
  const owners = people ?? (await createTenantWithPeople(harness, tenancy));
  const { tenantId, admin } = owners;
  const path = `/api/bots/${tenantId}/bots`;
  const bot = await tenancy.call('POST', path, { as: admin, body: { name: 'Support' } });
  const { botId } = bot.body as { botId: string };
  const address = `support-${randomUUID().slice(0, 8)}@bots.example`;
  const made = await tenancy.call('POST', `/api/bots/${tenantId}/${botId}/integrations`, {
    as: admin,
    body: {
      integrationType: 'email',
      credentials: { address },
      settings: { email: { senderPolicy, webhookSigningKey: 'signing-key' } },
    },
  });
  if (made.status !== 201) throw new Error(`no mailbox was made: ${made.text}`);
  const { integrationId } = made.body as { integrationId: string };
  const secrets = { signingKey: new Secret('signing-key'), apiKey: null, senderPolicy, allowedLists: [] };
  const mailbox = { tenantId, botId, integrationId, address, isEnabled: true, provenDomain: null };
  const state = { isAwaitingFirstDelivery: false };
  return { ...mailbox, ...secrets, ...state, people: owners };
}

export interface Thread {
  tenantId: string;
  botId: string;
  threadId: string;
  correspondent: string;
}

export async function newThread(
  { harness }: MailFixture,
  { tenantId, botId, integrationId }: Box,
  { correspondent = newAddress(), subject = 'My order' }: { correspondent?: string; subject?: string } = {},
): Promise<Thread> {
  const threadId = uuidv7();
  await harness.asOwner(
    `insert into webhooks.mail_threads (tenant_id, thread_id, bot_id, integration_id, conversation_id, plus_token, subject,
       correspondent, correspondent_name) values ($1, $2, $3, $4, $5, $6, $7, $8, 'Anna')`,
    [tenantId, threadId, botId, integrationId, uuidv7(), randomUUID(), subject, correspondent],
  );
  return { tenantId, botId, threadId, correspondent };
}

/** Puts a mail of the thread's correspondent into it. */
export async function putMail(
  { database }: MailFixture,
  thread: Thread,
  mail: { state?: string; sender?: string; subject?: string; html?: string } = {},
): Promise<string> {
  return await withTenant(database, [thread.tenantId], (tx) => insertMail(tx, thread, mail));
}

export async function insertMail(
  tx: TenantTx,
  { tenantId, botId, threadId, correspondent }: Thread,
  { state = 'held', sender = correspondent, subject = 'My order', html }: Parameters<typeof putMail>[2] = {},
): Promise<string> {
  const mailId = uuidv7();
  await tx.query({
    name: 'test.mail',
    text: `insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name,
             recipient, subject, text, original_text, html, state)
           values ($1, $2, $3, $4, 'in', $2::uuid || '@example.org', $5, 'Anna', 'bot@bots.example', $6, 'Where is it?',
             'Where is it? > quoted', $7, $8)`,
    values: [tenantId, mailId, threadId, botId, sender, subject, html ?? null, state],
  });
  return mailId;
}

export const newAddress = (domain = `${randomUUID().slice(0, 8)}.example`): string =>
  `anna-${randomUUID().slice(0, 8)}@${domain}`;

/** States of the mails that came into a thread, oldest first. */
export async function statesOf({ harness }: MailFixture, { threadId }: Thread): Promise<string[]> {
  const rows = await harness.asOwner<{ state: string }>(
    "select state from webhooks.mails where thread_id = $1 and direction = 'in' order by mail_id",
    [threadId],
  );
  return rows.map(({ state }) => state);
}

/** Invites as the inbound side does it, in a transaction of its own. */
export const invite = (
  { database, deps }: MailFixture,
  box: Mailbox,
  asked: { threadId: string; sender: string; language?: string },
): Promise<'sent' | 'capped'> =>
  withTenant(database, [box.tenantId], (tx) =>
    inviteSender(deps, tx, box, { language: null, messageId: 'asked@mail.example.com', ...asked }),
  );

export interface LinkMail {
  recipient: string;
  subject: string;
  text: string;
  html: string;
  language: string | null;
}

/** The mails that were queued in a thread. */
export const linkMails = (
  { harness }: MailFixture,
  { threadId }: Pick<Thread, 'threadId'>,
): Promise<LinkMail[]> =>
  harness.asOwner<LinkMail & Record<string, unknown>>(
    `select recipient, subject, text, html, language from webhooks.mails where thread_id = $1 and direction = 'out' order by mail_id`,
    [threadId],
  );

export const tokenIn = ({ text }: LinkMail): string => /#token=([0-9a-f]+)/.exec(text)?.[1] ?? '';

/** A held mail, and the token of the link that its sender got. */
export async function heldWithLink(
  fixture: MailFixture,
  box: Box,
  options: { correspondent?: string; subject?: string } = {},
): Promise<Thread & { token: string; mailId: string }> {
  const thread = await newThread(fixture, box, options);
  const mailId = await putMail(fixture, thread, options.subject ? { subject: options.subject } : {});
  const verdict = await invite(fixture, box, { threadId: thread.threadId, sender: thread.correspondent });
  const [mail] = await linkMails(fixture, thread);
  if (verdict !== 'sent' || !mail) throw new Error(`no link was sent: ${verdict}`);
  return { ...thread, mailId, token: tokenIn(mail) };
}

/** A call as the gateway passes it on, with the token of a link. */
export const withLink = (
  { service }: MailFixture,
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
) =>
  service.call(method, `/api/email-auth${path}`, {
    as: anonymous,
    ...(body === undefined ? {} : { body }),
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });

/** Judges a mail and keeps it, as the inbound side does it: under one lock, in one transaction. */
export async function takeIn(fixture: MailFixture, box: Box, thread: Thread, sender = thread.correspondent) {
  return await withTenant(fixture.database, [box.tenantId], async (tx) => {
    const { tenantId, botId, senderPolicy } = box;
    const may = await mayWrite(tx, { tenantId, botId, threadId: thread.threadId, sender, senderPolicy });
    await insertMail(tx, thread, { state: may ? 'admitted' : 'held', sender });
    return may;
  });
}
