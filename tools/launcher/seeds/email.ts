import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Api } from '../seed-api.ts';

/** The demo bot's address for the sandbox's people. Its domain exists only in the sandbox. */
export const demoAddress = 'demo@bots.sandbox.test';

const Integration = z.object({ integrationType: z.string() });

/**
 * Derives the signing key from the bot's token, a secret of this installation. The key is therefore the same at every
 * start without being stored.
 */
const signingKeyOf = (botToken: string) =>
  createHash('sha256').update(`demo mailbox ${botToken}`).digest('hex');

/** Creates the demo bot's email integration. Unknown senders receive the link. */
export async function integrateMailbox(
  api: Api,
  { path, botToken }: { path: string; botToken: string },
): Promise<void> {
  const integrations = await api.list(path, Integration);
  if (integrations.some(({ integrationType }) => integrationType === 'email')) return;
  const webhookSigningKey = signingKeyOf(botToken);
  const settings = { email: { webhookSigningKey, senderPolicy: 'authorized' } };
  // A separate account, with any key that the sandbox's mailer accepts, so MAILER_DOMAIN may have any value.
  const credentials = { address: demoAddress, apiKey: 'sandbox' };
  const body = { integrationType: 'email', credentials, settings };
  await api.post(path, body, Integration);
}

/** Configures the route of the demo bot's email in the sandbox's mailer, as in a real mailer's dashboard. */
export async function routeMail(
  sandbox: Api,
  { webhookBaseUrl, botId, botToken }: { webhookBaseUrl: string; botId: string; botToken: string },
): Promise<void> {
  const url = `${webhookBaseUrl}/webhooks/email/${botId}`;
  const signingKey = signingKeyOf(botToken);
  await sandbox.post('/api/mail/routes', { address: demoAddress, url, signingKey }, z.unknown());
}
