import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Api } from './seed-api.ts';

/** Where the sandbox's people write to. Its domain exists nowhere else. */
export const demoAddress = 'demo@bots.sandbox.test';

const Integration = z.object({ integrationType: z.string() });

/** Of the bot's token, which is a secret of this installation: so it is the same at every start, and kept nowhere else. */
const signingKeyOf = (botToken: string) =>
  createHash('sha256').update(`demo mailbox ${botToken}`).digest('hex');

/** An e-mail integration of the demo bot: who isn't known yet gets the link. */
export async function integrateMailbox(
  api: Api,
  { path, botToken }: { path: string; botToken: string },
): Promise<void> {
  const known = await api.list(path, Integration);
  if (known.some(({ integrationType }) => integrationType === 'email')) return;
  const webhookSigningKey = signingKeyOf(botToken);
  const settings = { email: { webhookSigningKey, senderPolicy: 'authorized' } };
  // An account of its own, which the sandbox's mailer takes whatever the key: so MAILER_DOMAIN may be any.
  const credentials = { address: demoAddress, apiKey: 'sandbox' };
  const body = { integrationType: 'email', credentials, settings };
  await api.post(path, body, Integration);
}

/** Tells the sandbox's mailer where the demo bot's mail goes, as one does in the dashboard of a real one. */
export async function routeMail(
  sandbox: Api,
  { webhookBaseUrl, botId, botToken }: { webhookBaseUrl: string; botId: string; botToken: string },
): Promise<void> {
  const url = `${webhookBaseUrl}/webhooks/email/${botId}`;
  const signingKey = signingKeyOf(botToken);
  await sandbox.post('/api/mail/routes', { address: demoAddress, url, signingKey }, z.unknown());
}
