import { randomBytes } from 'node:crypto';
import { MessengerSecrets } from '@botyard/contracts/events/tenancy';
import type { CreateIntegrationBody, UpdateIntegrationBody } from '@botyard/contracts/http/bot-integrations';
import { invalid } from '@botyard/shared/http/errors';
import { mask, Secret } from '@botyard/shared/secrets/secret';
import type { Deps } from '../../deps.ts';
import {
  openSealed,
  type SecretsChange,
  type StoredSecrets,
  sealFor,
} from '../../integrations/domain/sealed.ts';
import type { IntegrationKey } from '../../integrations/store/integrations.ts';

type NewMessenger = Extract<CreateIntegrationBody, { integrationType: 'messenger' }>;

/** Tests the token with the platform. @throws HttpError 400 no secret in production, 422 rejected, 503 no answer. */
export async function newMessengerSecrets(
  deps: Deps,
  key: IntegrationKey,
  { credentials, settings }: NewMessenger,
): Promise<StoredSecrets> {
  const given = givenSecret(deps, settings);
  const { tokenHash, ...identity } = await tryToken(deps, new Secret(credentials.botToken));
  const secrets = { ...identity, webhookSecretToken: given ?? randomBytes(32).toString('base64url') };
  return { ...(await protect(deps, key, credentials.botName, secrets)), tokenHash, address: null };
}

/** @throws HttpError as `newMessengerSecrets`, if there is a new token. */
export async function changeMessengerSecrets(
  deps: Deps,
  { credentials, settings }: UpdateIntegrationBody,
): Promise<SecretsChange> {
  const webhookSecretToken = givenSecret(deps, settings);
  const botToken = credentials?.botToken;
  const tried = botToken ? await tryToken(deps, new Secret(botToken)) : undefined;
  return async (row) => {
    const { tokenHash, ...identity } = tried ?? {};
    const botName = credentials?.botName ?? row.maskedCredentials.botName ?? '';
    const changed = await protect(deps, row, botName, {
      ...MessengerSecrets.parse(await openSealed(deps.keyring, row)),
      ...identity,
      ...(webhookSecretToken === undefined ? {} : { webhookSecretToken }),
    });
    return { ...changed, ...(tokenHash ? { tokenHash } : {}) };
  };
}

/** The request's secret; empty for `null`, which means none. @throws HttpError 400 for none in production. */
function givenSecret(
  { isProduction }: Pick<Deps, 'isProduction'>,
  settings: UpdateIntegrationBody['settings'],
): string | undefined {
  const given = settings?.messenger?.webhookSecretToken;
  if (given !== null) return given;
  if (isProduction) {
    const path = ['settings', 'messenger', 'webhookSecretToken'];
    throw invalid([
      { path, message: 'must be a secret: an integration without one is for development and tests' },
    ]);
  }
  return '';
}

interface TriedToken extends Omit<MessengerSecrets, 'webhookSecretToken'> {
  tokenHash: string;
}

/** The token's bot, from the platform. Runs outside any transaction, so that no connection is held meanwhile. */
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
    maskedSettings: { messenger: { webhookSecretToken: maskSecret(secrets.webhookSecretToken) } },
  };
}

const maskSecret = (secret: string): string | null => (secret === '' ? null : mask(secret));
