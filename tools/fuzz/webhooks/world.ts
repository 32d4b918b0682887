import { randomInt, randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { Cleanup } from '../../bench/cleanup.ts';
import { type House, startHouse } from '../house/house.ts';
import { ask, signIn } from '../house/people.ts';

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

export interface WebhookWorld {
  house: House;
  bots: readonly MessengerBot[];
  /** A bot of another tenant that isn't attacked. It shows that normal traffic still works. */
  witness: MessengerBot;
  mailboxes: readonly Mailbox[];
  operatorBearer: string;
}

export async function openWebhookWorld(cleanup: Cleanup): Promise<WebhookWorld> {
  const house = await startHouse(cleanup);
  const [attacked, peaceful, operator] = await Promise.all([
    openTenant(house, 'attacked'),
    openTenant(house, 'peaceful'),
    signIn(house, { name: 'operator', isOperator: true }),
  ]);
  const bots = await Promise.all([0, 1, 2].map(() => addBot(house, attacked)));
  const mailboxes = await Promise.all(
    [`key-${randomUUID()}`, `key-${randomUUID()}`, undefined].map((key) => addMailbox(house, attacked, key)),
  );
  const witness = await addBot(house, peaceful);
  const world = { house, bots, witness, mailboxes, operatorBearer: operator.bearer };
  await Promise.all([witness, ...bots].map((bot) => isKnown(house, bot)));
  return world;
}

interface Tenant {
  tenantId: string;
  bearer: string;
  agentId: string;
}

async function openTenant(house: House, name: string): Promise<Tenant> {
  const { bearer } = await signIn(house, { name });
  const { tenantId } = await ask<{ tenantId: string }>(house.system, bearer, 'POST /api/bots/tenants', {
    name,
  });
  await ask(house.system, bearer, 'POST /api/tenant/select', { tenantId });
  const agent = { name, instructions: 'Help.', provider: 'private-llm', model: 'fake' };
  const { id } = await ask<{ id: string }>(house.system, bearer, 'POST /api/definitions/agents', agent);
  return { tenantId, bearer, agentId: id };
}

async function newBotId(house: House, { tenantId, bearer, agentId }: Tenant): Promise<string> {
  const bot = { name: 'Bot', agentIds: [agentId], joinWindowMs: 0 };
  const { botId } = await ask<{ botId: string }>(
    house.system,
    bearer,
    `POST /api/bots/${tenantId}/bots`,
    bot,
  );
  return botId;
}

async function addBot(house: House, tenant: Tenant): Promise<MessengerBot> {
  const botId = await newBotId(house, tenant);
  const secret = `Secret_${randomUUID()}`;
  await ask(house.system, tenant.bearer, `POST /api/bots/${tenant.tenantId}/${botId}/integrations`, {
    integrationType: 'messenger',
    credentials: { botToken: `${randomInt(1e9, 9e9)}:${'w'.repeat(35)}`, botName: 'bot' },
    settings: { messenger: { webhookSecretToken: secret } },
  });
  return { botId, secret };
}

async function addMailbox(house: House, tenant: Tenant, signingKey: string | undefined): Promise<Mailbox> {
  const botId = await newBotId(house, tenant);
  const address = `bot-${randomUUID()}@${house.mailDomain}`;
  await ask(house.system, tenant.bearer, `POST /api/bots/${tenant.tenantId}/${botId}/integrations`, {
    integrationType: 'email',
    // The installation's account serves every sender only if deliveries are signed.
    credentials: signingKey ? { address } : { address, apiKey: 'key-of-the-tenant' },
    settings: { email: { senderPolicy: 'open', ...(signingKey ? { webhookSigningKey: signingKey } : {}) } },
  });
  return { botId, address, signingKey };
}

/** Waits until the webhooks service knows the bot: it then accepts an update of an unknown kind. */
async function isKnown({ system }: House, { botId, secret }: MessengerBot): Promise<void> {
  await eventually(`the bot ${botId} is known`, async () => {
    const { status } = await fetch(`${system.gatewayUrl}/webhooks/messenger/${botId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
      body: JSON.stringify({ update_id: randomInt(1e9), story: {} }),
    });
    return status === 200;
  });
}
