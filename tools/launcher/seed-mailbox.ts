import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Api } from './seed-api.ts';

/** The address for the sandbox's people. Its domain exists nowhere else. */
export const demoAddress = 'demo@bots.sandbox.test';

const Integration = z.object({ integrationType: z.string() });

/**
 * Derived from the bot's token, a secret of this installation: so it is the same at every start, and stored nowhere
 * else.
 */
const signingKeyOf = (botToken: string) =>
  createHash('sha256').update(`demo mailbox ${botToken}`).digest('hex');

/** An e-mail integration of the demo bot: unknown senders get the link. */
export async function integrateMailbox(
  api: Api,
  { path, botToken }: { path: string; botToken: string },
): Promise<void> {
  const known = await api.list(path, Integration);
  if (known.some(({ integrationType }) => integrationType === 'email')) return;
  const webhookSigningKey = signingKeyOf(botToken);
  const settings = { email: { webhookSigningKey, senderPolicy: 'authorized' } };
  // An account of its own, with any key that the sandbox's mailer accepts, so MAILER_DOMAIN may have any value.
  const credentials = { address: demoAddress, apiKey: 'sandbox' };
  const body = { integrationType: 'email', credentials, settings };
  await api.post(path, body, Integration);
}

/** Configures the route of the demo bot's mail in the sandbox's mailer, as in a real one's dashboard. */
export async function routeMail(
  sandbox: Api,
  { webhookBaseUrl, botId, botToken }: { webhookBaseUrl: string; botId: string; botToken: string },
): Promise<void> {
  const url = `${webhookBaseUrl}/webhooks/email/${botId}`;
  const signingKey = signingKeyOf(botToken);
  await sandbox.post('/api/mail/routes', { address: demoAddress, url, signingKey }, z.unknown());
}
