import { setTimeout as pause } from 'node:timers/promises';
import type { WebhookTarget } from '../load/messages.ts';

const registeredWithinMs = 60_000;
export const webhookSecret = 'bench-webhook-secret';

interface Connected {
  botId: string;
  address: string;
}

/** Creates tenants with an agent and bots that answer immediately. Returns the bots' webhooks. */
export async function createBots(
  gatewayUrl: string,
  { tenants, botsPerTenant, model = 'default' }: { tenants: number; botsPerTenant: number; model?: string },
): Promise<WebhookTarget[]> {
  const call = createCall(gatewayUrl);
  const bots: Connected[] = [];
  for (let tenant = 0; tenant < tenants; tenant += 1) {
    const { tenantId } = await call('POST', '/api/bots/tenants', { name: `Bench ${tenant}` });
    await call('POST', '/api/tenant/select', { tenantId });
    const agent = {
      name: 'Bench',
      instructions: 'Answer shortly.',
      provider: 'private-llm',
      model,
    };
    const { id: agentId } = await call('POST', '/api/definitions/agents', agent);
    for (let bot = 0; bot < botsPerTenant; bot += 1) {
      bots.push(
        await connectBot(call, String(tenantId), { agentId: String(agentId), number: tenant * 1000 + bot }),
      );
    }
  }
  for (const { address } of bots) await untilRegistered(call, address);
  return bots.map(({ botId }) => ({
    path: `/webhooks/messenger/${botId}`,
    headers: { 'x-telegram-bot-api-secret-token': webhookSecret },
  }));
}

type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

async function connectBot(
  call: Call,
  tenantId: string,
  wanted: { agentId: string; number: number },
): Promise<Connected> {
  const newBot = { name: `Bot ${wanted.number}`, agentIds: [wanted.agentId], joinWindowMs: 0 };
  const { botId } = await call('POST', `/api/bots/${tenantId}/bots`, newBot);
  const address = `/api/bots/${tenantId}/${String(botId)}/integrations`;
  const { integrationId } = await call('POST', address, {
    integrationType: 'messenger',
    credentials: { botToken: botToken(wanted.number), botName: `bench_${wanted.number}_bot` },
    settings: { messenger: { webhookSecretToken: webhookSecret } },
  });
  return { botId: String(botId), address: `${address}/${String(integrationId)}` };
}

/** Returns a token in the messenger's format. The fake messenger creates the bot when it first sees the token. */
export const botToken = (number: number): string => `${7_100_000_000 + number}:${'A'.repeat(35)}`;

async function untilRegistered(call: Call, address: string): Promise<void> {
  const deadline = performance.now() + registeredWithinMs;
  for (;;) {
    const { registration } = (await call('GET', address)) as { registration?: { state: string } };
    if (registration?.state === 'registered') return;
    if (performance.now() > deadline)
      throw new Error(`a webhook was not registered: ${JSON.stringify(registration)}`);
    await pause(50);
  }
}

function createCall(gatewayUrl: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(`${gatewayUrl}${path}`, {
      method,
      signal: AbortSignal.timeout(10_000),
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const content = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status} ${JSON.stringify(content)}`);
    return content;
  };
}
