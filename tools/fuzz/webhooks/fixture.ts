import { randomInt, randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { Cleanup } from '../../rig/cleanup.ts';
import { type Installation, startInstallation } from '../../rig/installation.ts';
import { ask, signIn } from '../../rig/people.ts';

export interface MessengerBot {
  botId: string;
  secret: string;
}

export interface Mailbox {
  botId: string;
  address: string;
  /** `undefined` if signatures are not verified. */
  signingKey: string | undefined;
}

export interface WebhookFixture {
  installation: Installation;
  bots: readonly MessengerBot[];
  /** A bot of another tenant that isn't attacked. It shows that normal traffic still works. */
  controlBot: MessengerBot;
  mailboxes: readonly Mailbox[];
  operatorBearer: string;
}

export async function createWebhookFixture(cleanup: Cleanup): Promise<WebhookFixture> {
  const installation = await startInstallation(cleanup);
  const [attacked, control, operator] = await Promise.all([
    openTenant(installation, 'attacked'),
    openTenant(installation, 'control'),
    signIn(installation, { name: 'operator', isOperator: true }),
  ]);
  const bots = await Promise.all([0, 1, 2].map(() => addBot(installation, attacked)));
  const mailboxes = await Promise.all(
    [`key-${randomUUID()}`, `key-${randomUUID()}`, undefined].map((key) =>
      addMailbox(installation, attacked, key),
    ),
  );
  const controlBot = await addBot(installation, control);
  const fixture = { installation, bots, controlBot, mailboxes, operatorBearer: operator.bearer };
  await Promise.all([controlBot, ...bots].map((bot) => isKnown(installation, bot)));
  return fixture;
}

interface Tenant {
  tenantId: string;
  bearer: string;
  agentId: string;
}

async function openTenant(installation: Installation, name: string): Promise<Tenant> {
  const { bearer } = await signIn(installation, { name });
  const { tenantId } = await ask<{ tenantId: string }>(
    installation.system,
    bearer,
    'POST /api/bots/tenants',
    {
      name,
    },
  );
  await ask(installation.system, bearer, 'POST /api/tenant/select', { tenantId });
  const agent = { name, instructions: 'Help.', provider: 'private-llm', model: 'fake' };
  const { id } = await ask<{ id: string }>(
    installation.system,
    bearer,
    'POST /api/definitions/agents',
    agent,
  );
  return { tenantId, bearer, agentId: id };
}

async function newBotId(installation: Installation, { tenantId, bearer, agentId }: Tenant): Promise<string> {
  const bot = { name: 'Bot', agentIds: [agentId], joinWindowMs: 0 };
  const { botId } = await ask<{ botId: string }>(
    installation.system,
    bearer,
    `POST /api/bots/${tenantId}/bots`,
    bot,
  );
  return botId;
}

async function addBot(installation: Installation, tenant: Tenant): Promise<MessengerBot> {
  const botId = await newBotId(installation, tenant);
  const secret = `Secret_${randomUUID()}`;
  await ask(installation.system, tenant.bearer, `POST /api/bots/${tenant.tenantId}/${botId}/integrations`, {
    integrationType: 'messenger',
    credentials: { botToken: `${randomInt(1e9, 9e9)}:${'w'.repeat(35)}`, botName: 'bot' },
    settings: { messenger: { webhookSecretToken: secret } },
  });
  return { botId, secret };
}

async function addMailbox(
  installation: Installation,
  tenant: Tenant,
  signingKey: string | undefined,
): Promise<Mailbox> {
  const botId = await newBotId(installation, tenant);
  const address = `bot-${randomUUID()}@${installation.mailDomain}`;
  await ask(installation.system, tenant.bearer, `POST /api/bots/${tenant.tenantId}/${botId}/integrations`, {
    integrationType: 'email',
    // The installation's account serves every sender only if deliveries are signed.
    credentials: signingKey ? { address } : { address, apiKey: 'key-of-the-tenant' },
    settings: { email: { senderPolicy: 'open', ...(signingKey ? { webhookSigningKey: signingKey } : {}) } },
  });
  return { botId, address, signingKey };
}

/** Waits until the webhooks service knows the bot: it then accepts an update of an unknown kind. */
async function isKnown({ system }: Installation, { botId, secret }: MessengerBot): Promise<void> {
  await eventually(`the bot ${botId} is known`, async () => {
    const { status } = await fetch(`${system.gatewayUrl}/webhooks/messenger/${botId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
      body: JSON.stringify({ update_id: randomInt(1e9), story: {} }),
    });
    return status === 200;
  });
}
