import { randomBytes } from 'node:crypto';
import { MessengerSecrets } from '@botyard/contracts/events/tenancy';
import type { CreateIntegrationBody, UpdateIntegrationBody } from '@botyard/contracts/http/bot-integrations';
import { mask, Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../../deps.ts';
import type { IntegrationKey } from '../../store/integrations.ts';
import { openSealed, type SecretsChange, type StoredSecrets, sealFor } from './sealed.ts';

type NewMessenger = Extract<CreateIntegrationBody, { integrationType: 'messenger' }>;

/** The token is tried with the platform. @throws HttpError 422 rejected, 503 no answer. */
export async function newMessengerSecrets(
  deps: Deps,
  key: IntegrationKey,
  { credentials, settings }: NewMessenger,
): Promise<StoredSecrets> {
  const { tokenHash, ...identity } = await tryToken(deps, new Secret(credentials.botToken));
  const webhookSecretToken = settings?.messenger?.webhookSecretToken ?? randomBytes(32).toString('base64url');
  const secrets = { ...identity, webhookSecretToken };
  return { ...(await protect(deps, key, credentials.botName, secrets)), tokenHash, address: null };
}

/** @throws HttpError as `newMessengerSecrets`, when there is a new token. */
export async function changeMessengerSecrets(
  deps: Deps,
  { credentials, settings }: UpdateIntegrationBody,
): Promise<SecretsChange> {
  const botToken = credentials?.botToken;
  const tried = botToken ? await tryToken(deps, new Secret(botToken)) : undefined;
  return async (row) => {
    const { tokenHash, ...identity } = tried ?? {};
    const webhookSecretToken = settings?.messenger?.webhookSecretToken;
    const botName = credentials?.botName ?? row.maskedCredentials.botName ?? '';
    const changed = await protect(deps, row, botName, {
      ...MessengerSecrets.parse(await openSealed(deps.keyring, row)),
      ...identity,
      ...(webhookSecretToken ? { webhookSecretToken } : {}),
    });
    return { ...changed, ...(tokenHash ? { tokenHash } : {}) };
  };
}

interface TriedToken extends Omit<MessengerSecrets, 'webhookSecretToken'> {
  tokenHash: string;
}

/** Whose token it is, as the platform says. Outside of any transaction: no connection is held while it answers. */
async function tryToken(deps: Deps, botToken: Secret): Promise<TriedToken> {
  const { username, platformBotId } = await deps.messenger.getMe(botToken);
  const tokenHash = await deps.hashToken(botToken);
  return { botToken: botToken.reveal(), botUsername: username, platformBotId, tokenHash };
}

async function protect(
  { keyring }: Deps,
  key: IntegrationKey,
  botName: string,
  secrets: MessengerSecrets,
): Promise<Pick<StoredSecrets, 'sealedSecrets' | 'maskedCredentials' | 'maskedSettings'>> {
  return {
    sealedSecrets: await sealFor(keyring, key, secrets),
    maskedCredentials: { botToken: mask(secrets.botToken), botName },
    maskedSettings: { messenger: { webhookSecretToken: mask(secrets.webhookSecretToken) } },
  };
}
