import { randomUUID } from 'node:crypto';
import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import type { EmailSecrets } from '@botyard/contracts/platforms/email';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeMailer, startFakeMailer } from '@botyard/testing/fake-mailer';
import type { Reply } from './replies.ts';
import {
  closeWebhooksServices,
  openWebhooksServices,
  startWebhooks,
  type WebhooksServices,
} from './webhooks-services.ts';

export interface MailServices extends WebhooksServices {
  mailer: FakeMailer;
}

/** An email integration as the tenancy service would announce it. */
export interface MailIntegration {
  tenantId: string;
  integrationId: string;
  botId: string;
  address: string;
  provenDomain?: string;
  revision: number;
  secrets: EmailSecrets;
}

export const mailerKey = 'mailer-key-0123456789';

export async function openMailServices(): Promise<MailServices> {
  const [services, mailer] = await Promise.all([
    openWebhooksServices(),
    startFakeMailer({ apiKey: mailerKey, retryScale: 0.0001 }),
  ]);
  return { ...services, mailer };
}

export async function closeMailServices(services: MailServices | undefined): Promise<void> {
  await closeWebhooksServices(services);
  await services?.mailer.close();
}

export const mailEnv = ({ mailer }: MailServices) => ({
  MAILER_API_URL: mailer.url,
  MAILER_API_KEY: mailerKey,
  MAILER_DOMAIN: 'bots.acme.example',
});

export const startMailWebhooks = (services: MailServices, env: Record<string, string> = {}) =>
  startWebhooks(services, { ...mailEnv(services), ...env });

/** Announces an email integration, and waits until the service has received it. */
export async function saveMailbox(
  { harness }: MailServices,
  change: Partial<MailIntegration> = {},
): Promise<MailIntegration> {
  const mailbox: MailIntegration = {
    tenantId: randomUUID(),
    integrationId: randomUUID(),
    botId: randomUUID(),
    revision: 1,
    address: `support-${randomUUID().slice(0, 8)}@bots.acme.example`,
    secrets: { senderPolicy: 'open', webhookSigningKey: 'signing-key' },
    ...change,
  };
  const { secrets, ...state } = mailbox;
  const sealedSecrets = await Keyring.parse(harness.secretsKeys).seal(
    new Secret(JSON.stringify(secrets)),
    integrationBinding(mailbox),
  );
  const event = { ...state, integrationType: 'email' as const, isEnabled: true, sealedSecrets };
  await harness.publish(integrationSaved, event);
  await harness.settled('webhooks', 'tenancy');
  return mailbox;
}

export interface ThreadOptions {
  correspondent?: string;
  subject?: string;
  references?: string[];
}

/** A thread that somebody has begun, and the next replies of its conversation. */
export async function openThread(
  { harness }: MailServices,
  { tenantId, botId, integrationId }: MailIntegration,
  { correspondent, subject = 'Where is my parcel?', references }: ThreadOptions = {},
) {
  const [threadId, conversationId, plusToken] = [randomUUID(), randomUUID(), randomUUID().slice(0, 8)];
  const address = correspondent ?? `anna-${plusToken}@example.com`;
  const first = `first-${plusToken}@mail.example.com`;
  await harness.asOwner(
    `insert into webhooks.mail_threads (tenant_id, thread_id, bot_id, integration_id, conversation_id, plus_token, subject,
       correspondent, correspondent_name, "references") values ($1, $2, $3, $4, $5, $6, $7, $8, 'Anna', $9)`,
    [
      tenantId,
      threadId,
      botId,
      integrationId,
      conversationId,
      plusToken,
      subject,
      address,
      references ?? [first],
    ],
  );
  const answer = (messageId: string) =>
    harness.asOwner(
      `with kept as (update webhooks.mail_threads
         set "references" = case when $5 = any ("references") then "references" else "references" || $5::text end
         where thread_id = $3)
       insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name, recipient,
         subject, text, state) values ($1, $2, $3, $4, 'in', $5, $6, 'Anna', 'support@bots.acme.example', $7, 'Hello', 'admitted')`,
      [tenantId, randomUUID(), threadId, botId, messageId, address, subject],
    );
  await answer(first);
  let last = 0;
  const reply = (text: string, change: Partial<Reply> = {}): Reply => {
    last += 1;
    return {
      tenantId,
      botId,
      integrationId,
      conversationId,
      replyId: randomUUID(),
      replySeq: last,
      platform: 'email',
      chat: { platformChatId: threadId, kind: 'private', title: subject },
      text,
      ...change,
    };
  };
  return { threadId, conversationId, plusToken, address, first, reply, answer };
}

/** Mails that arrived at an address, in their order. */
export const mailsTo = ({ mailer }: MailServices, address: string) =>
  mailer.sent.filter(({ to }) => to.includes(address));

/** Calls of the sending API for an address, with any outcome. */
export const sendsTo = ({ mailer }: MailServices, address: string) =>
  mailer.calls.filter(({ operation, params }) => operation === 'send' && params.to === address);

export interface MailRow {
  mail_id: string;
  state: string;
  reason: string | null;
  attempts: number;
  is_uncertain: boolean;
  message_id: string;
}

export const mailsOf = ({ harness }: MailServices, threadId: string): Promise<MailRow[]> =>
  harness.asOwner<MailRow & Record<string, unknown>>(
    `select m.*, p.attempts, p.is_uncertain from webhooks.mails m left join webhooks.parts p on p.part_id = m.mail_id
     where m.thread_id = $1 and m.direction = 'out' order by m.position`,
    [threadId],
  );

/** Makes everything that waits in a thread due now. */
export const makeDueNow = ({ harness }: MailServices, threadId: string) =>
  harness.asOwner(
    'update webhooks.chats set ready_at = now() where platform_chat_id = $1 and ready_at is not null',
    [threadId],
  );
