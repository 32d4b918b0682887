import { eventually } from '@botyard/testing/eventually';
import type { System } from './system.ts';

/** A tenant with an agent and a bot that is connected to the messenger. */
export interface DemoTenant {
  tenantId: string;
  agentId: string;
  botId: string;
  integrationId: string;
  botToken: string;
  integrationPath: string;
  /** Posts an update as the platform does, beside its queues, and returns the status. */
  deliver(update: unknown, headers?: Readonly<Record<string, string>>): Promise<number>;
}

export const webhookSecretToken = 'e2e_Secret-Token_0123456789';
let nextBot = 7_123_456_789;

export async function createDemoTenant(
  system: Pick<System, 'api' | 'messenger' | 'gatewayUrl'>,
): Promise<DemoTenant> {
  const botToken = `${nextBot++}:AAHe2eE2Ee2eE2Ee2eE2Ee2eE2Ee2eE2E12`;
  const username = 'acme_support_bot';
  system.messenger.addBot({ token: botToken, username });
  const { tenantId } = await system.api<{ tenantId: string }>('POST', '/api/bots/tenants', {
    body: { name: 'Acme' },
  });
  await system.api('POST', '/api/tenant/select', { body: { tenantId }, status: 200 });
  const { id: agentId } = await system.api<{ id: string }>('POST', '/api/definitions/agents', {
    body: { name: 'Support', instructions: 'Be kind.', provider: 'private-llm', model: 'fake' },
  });
  const { botId } = await system.api<{ botId: string }>('POST', `/api/bots/${tenantId}/bots`, {
    body: { name: 'Acme bot', agentIds: [agentId], joinWindowMs: 0 },
  });
  const path = `/api/bots/${tenantId}/${botId}/integrations`;
  const { integrationId } = await system.api<{ integrationId: string }>('POST', path, {
    body: {
      integrationType: 'messenger',
      credentials: { botToken, botName: username },
      settings: { messenger: { webhookSecretToken } },
    },
  });
  const integrationPath = `${path}/${integrationId}`;
  const isRegistered = async () => {
    const { registration } = await system.api<{ registration: { state: string } }>('GET', integrationPath);
    return registration.state === 'registered';
  };
  await eventually('the webhook is registered', isRegistered);
  return {
    tenantId,
    agentId,
    botId,
    integrationId,
    botToken,
    integrationPath,
    deliver: async (update, headers = { 'x-telegram-bot-api-secret-token': webhookSecretToken }) => {
      const response = await fetch(`${system.gatewayUrl}/webhooks/messenger/${botId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(update),
      });
      return response.status;
    },
  };
}
