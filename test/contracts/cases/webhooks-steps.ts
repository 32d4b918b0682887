import { createHash, createHmac, randomBytes, randomInt } from 'node:crypto';
import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import { beginInstallation } from '@botyard/contracts/events/webhook-accounts';
import { installCookies } from '@botyard/contracts/http/installations';
import type { EmailSecrets } from '@botyard/contracts/platforms/email';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import type { FakeSlack } from '@botyard/testing/fake-slack';
import { firstSample, samplesOf } from '@botyard/testing/samples';
import { issue } from '@botyard/testing/slack/rotation';
import { anonymous } from '@botyard/testing/test-call';
import { expect } from 'vitest';
import { conversationIdOf } from '../../../services/webhooks/src/chats/domain/conversation-id.ts';
import { site } from '../../../services/webhooks/test/platforms/webchat/site.ts';
import {
  anna,
  businessAccountId,
  ofMessage,
  ofNumber,
  phoneNumberId,
} from '../../../services/webhooks/test/platforms/whatsapp/notifications.ts';
import type { ServiceUnderTest } from '../support/service-under-test.ts';
import type { AskCase, Step } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';

/** A bot at the messenger that represents a tenant's bot, and the sealed parts of its integration. */
export interface TestBot {
  botToken: string;
  botUsername: string;
  platformBotId: string;
  webhookSecretToken: string;
}

/** The tenants' bots at one messenger. */
export class Bots {
  readonly messenger: FakeMessenger;
  readonly #bots = new Map<TestTenant, TestBot>();

  constructor(messenger: FakeMessenger) {
    this.messenger = messenger;
  }

  of(tenant: TestTenant): TestBot {
    const existingBot = this.#bots.get(tenant);
    if (existingBot) return existingBot;
    const botToken = `${randomInt(1e8, 1e9)}:${randomBytes(26).toString('base64url')}`;
    const { id, username } = this.messenger.addBot({ token: botToken });
    const bot = {
      botToken,
      botUsername: username,
      platformBotId: String(id),
      webhookSecretToken: `secret-${tenant.tag}`,
    };
    this.#bots.set(tenant, bot);
    return bot;
  }
}

/** Seals as tenancy does it, bound to the integration. */
export async function seal(
  sut: ServiceUnderTest,
  state: { tenantId: string; integrationId: string },
  secrets: object,
): Promise<string> {
  const keyring = Keyring.parse(sut.harness.secretsKeys);
  return await keyring.seal(new Secret(JSON.stringify(secrets)), integrationBinding(state));
}

/** Tenancy announces the tenant's integration with the messenger, and the platform knows where to deliver to. */
export const integrate =
  (bots: () => Bots): Step =>
  async (sut, tenant) => {
    const state = tenant.withOwnIds(firstSample(integrationSaved));
    const sealedSecrets = await seal(sut, state, bots().of(tenant));
    await announce(sut, { ...state, sealedSecrets });
    await eventually('the webhook is registered', async () => {
      const rows = await sut.rows(
        `select from webhooks.endpoints where integration_id = $1 and registered_fingerprint is not null
         and registration_due_at is null`,
        [state.integrationId],
      );
      return rows.length === 1;
    });
  };

async function announce(sut: ServiceUnderTest, state: unknown): Promise<void> {
  expect(await sut.outcomeOf(await sut.publish(integrationSaved, state))).toBe('taken');
}

/** Tenancy announces a web chat of the tenant's bot. */
export async function openChat(sut: ServiceUnderTest, tenant: TestTenant): Promise<{ botId: string }> {
  const state = { ...tenant.withOwnIds(firstSample(integrationSaved)), integrationType: 'webchat' };
  await announce(sut, { ...state, sealedSecrets: await seal(sut, state, { allowedOrigins: [site] }) });
  return state;
}

/** WhatsApp posts a notification to the tenant's bot. */
async function notify(sut: ServiceUnderTest, tenant: TestTenant, notification: object): Promise<void> {
  const state = { ...tenant.withOwnIds(firstSample(integrationSaved)), integrationType: 'whatsapp' };
  const appSecret = `secret-of-${tenant.tag}`;
  const secrets = { accessToken: 'x', phoneNumberId, businessAccountId, appSecret, verifyToken: 'x' };
  await announce(sut, { ...state, sealedSecrets: await seal(sut, state, secrets) });
  const rawBody = JSON.stringify(notification);
  const signature = createHmac('sha256', appSecret).update(rawBody).digest('hex');
  const { status } = await sut.process.call('POST', `/webhooks/whatsapp/${state.botId}`, {
    as: anonymous,
    rawBody,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
  });
  expect(status).toBe(200);
}

/** WhatsApp reports that it delivered a message of the tenant's bot. */
export const reportDelivery: Step = async (sut, tenant) => {
  await sendReply(sut, tenant);
  const status = { id: 'wamid.sent', status: 'delivered', timestamp: '1795200000' };
  const recipient = { recipient_id: anna.phone, recipient_user_id: anna.userId };
  await notify(sut, tenant, ofNumber({ statuses: [{ ...status, ...recipient }] }));
};

/** A person puts a thumb at a reply on WhatsApp. */
export const rateReply: Step = async (sut, tenant) => {
  await sendReply(sut, tenant);
  const reaction = { message_id: 'wamid.sent', emoji: '👍' };
  await notify(sut, tenant, ofMessage({ type: 'reaction', reaction }));
};

async function sendReply(sut: ServiceUnderTest, tenant: TestTenant): Promise<void> {
  const botId = tenant.id('botId');
  const conversationId = conversationIdOf({ botId, platform: 'whatsapp' }, anna.userId);
  await sut.rows(
    `with reply as (
       insert into webhooks.replies
         (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, platform, place, text, state)
       values ($1, gen_random_uuid(), $2, $3, $4, 1, 'whatsapp', '{}', 'Hello', 'sent') returning reply_id
     )
     insert into webhooks.parts
       (tenant_id, part_id, reply_id, bot_id, platform_chat_id, html, plain, state, platform_message_id)
     select $1, gen_random_uuid(), reply_id, $2, $5, '', '', 'sent', 'wamid.sent' from reply`,
    [tenant.tenantId, botId, tenant.id('integrationId'), conversationId, `whatsapp:${anna.userId}`],
  );
}

/** WhatsApp reports that the account of the tenant's bot is gone. */
export const reportAccount: Step = async (sut, tenant) => {
  const changes = [{ field: 'account_update', value: { event: 'ACCOUNT_DELETED' } }];
  const entry = [{ id: businessAccountId, time: 1_795_200_000, changes }];
  await notify(sut, tenant, { object: 'whatsapp_business_account', entry });
};

/** WhatsApp reports that a person has another identifier. */
export const renamePerson: Step = async (sut, tenant) => {
  const userId = { previous: anna.userId, current: `${anna.userId}9` };
  const notification = ofNumber({ user_id_update: [{ user_id: userId, wa_id: anna.phone }] });
  const [entry] = (notification as { entry: { changes: { field: string }[] }[] }).entry;
  entry!.changes[0]!.field = 'user_id_update';
  await notify(sut, tenant, notification);
};

/** A link that a sender of mail was sent, to the tenant's mailbox. */
export const linkTo = async (sut: ServiceUnderTest, tenant: TestTenant): Promise<string> => {
  const secrets: EmailSecrets = { senderPolicy: 'authorized' };
  const state = {
    ...tenant.withOwnIds(firstSample(integrationSaved)),
    integrationType: 'email',
    address: `support@${tenant.tag}.bots.example`,
  };
  await announce(sut, { ...state, sealedSecrets: await seal(sut, state, secrets) });
  const token = randomBytes(24).toString('hex');
  await sut.rows(
    `insert into webhooks.sender_tokens (tenant_id, token_hash, bot_id, thread_id, address, expires_at)
     values ($1, $2, $3, gen_random_uuid(), 'anna@example.com', now() + interval '1 hour')`,
    [tenant.tenantId, createHash('sha256').update(token).digest('base64url'), tenant.id('botId')],
  );
  return token;
};

/** Posts an update as the gateway passes it on. */
export const post = async (
  sut: ServiceUnderTest,
  tenant: TestTenant,
  { webhookSecretToken }: TestBot,
  body: unknown,
) =>
  await sut.process.call('POST', `/webhooks/messenger/${tenant.id('botId')}`, {
    as: anonymous,
    body,
    headers: { 'x-telegram-bot-api-secret-token': webhookSecretToken },
  });

/** A person has allowed the installation of the app at Slack, and comes back. */
export const installs = (slack: () => FakeSlack): AskCase => ({
  provoke: async (sut, tenant) => {
    const { apps, world } = slack();
    const [state, browser] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'));
    const [stateHash, browserHash] = [state!, browser!].map((secret) =>
      createHash('sha256').update(secret).digest('hex'),
    );
    const { botId, identity } = tenant.withOwnIds(samplesOf(beginInstallation)[0]!.payload.question);
    await sut.rows(
      `insert into webhooks.installations
         (tenant_id, state_hash, browser_hash, bot_id, platform, identity, expires_at)
       values ($1, $2, $3, $4, 'slack', $5, now() + interval '10 minutes')`,
      [tenant.tenantId, stateHash, browserHash, botId, JSON.stringify(identity)],
    );
    const [app] = [...apps.apps.values()];
    const redirectUri = app!.redirectUrls[0]!;
    const query = new URLSearchParams({
      client_id: app!.clientId,
      redirect_uri: redirectUri,
      state: state!,
      scope: 'chat:write,users:read',
    });
    const back = new URL(apps.approve(`${slack().url}?${query}`, { teamId: world.addTeam() }));
    return await sut.process.call('GET', `${back.pathname}${back.search}`, {
      as: anonymous,
      headers: { cookie: `${installCookies.secure}=${browser}` },
    });
  },
  answered: { first: 200, 'in-use': 409, 'no-bot': 404, 'not-allowed': 403, 'not-readable': 503 },
  // The page says that it may not be saved, whatever the reason.
  refused: 503,
  unreadable: 503,
});

/** A token of Slack's is renewed, and its secrets are saved, or stay due. */
export const renews = (slack: () => FakeSlack): AskCase => ({
  provoke: async (sut, tenant) => {
    const { apps, world } = slack();
    const app = [...apps.apps.values()][0]!;
    app.rotation ??= { lives: [43_200], graceMs: 0 };
    const installation = apps.install(app, { teamId: world.addTeam() });
    const { teamId, botUserId, botId } = installation;
    const issued = issue(installation);
    const state = { ...tenant.withOwnIds(firstSample(integrationSaved)), integrationType: 'slack' };
    const account = { appId: app.appId, teamId, botUserId, botId };
    const token = {
      botToken: issued.access_token,
      refreshToken: issued.refresh_token,
      renewTokenAt: new Date().toISOString(),
    };
    await announce(sut, { ...state, sealedSecrets: await seal(sut, state, { ...account, ...token }) });
    return await eventually('the renewed secrets were sent', async () => {
      const [row] = await sut.rows<{ due: Date | null }>(
        `select renewal_due_at as due from webhooks.endpoints where integration_id = $1
         and renewed_secrets is not null and registration_lease_until is null`,
        [state.integrationId],
      );
      return row && { status: row.due ? 503 : 200 };
    });
  },
  refused: 503,
  unreadable: 503,
});
