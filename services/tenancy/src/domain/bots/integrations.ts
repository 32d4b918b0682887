import { randomBytes } from 'node:crypto';
import type {
  CreateIntegrationBody,
  UpdateIntegrationBody,
} from '@botyard/shared/contracts/bot-integrations';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import {
  type IntegrationState,
  integrationBinding,
  integrationDeleted,
  integrationSaved,
  MessengerSecrets,
} from '@botyard/shared/events/tenancy';
import { notFound } from '@botyard/shared/http/errors';
import { mask, Secret } from '@botyard/shared/secrets/secret';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { getBot, lockBot } from '../../store/bots.ts';
import {
  deleteIntegration as deleteIntegrationRow,
  getIntegration,
  type IntegrationKey,
  type IntegrationRow,
  insertIntegration,
  lockIntegration,
  type NewIntegration,
  updateIntegration as updateIntegrationRow,
} from '../../store/integrations.ts';

/**
 * Connects a bot to the messenger. The token is tried with the platform before anything is stored.
 * @throws HttpError 404 unknown bot, 409 token in use or a second integration, 422 rejected token, 503 platform down.
 */
export async function createIntegration(
  deps: Deps,
  bot: { tenantId: string; botId: string },
  body: CreateIntegrationBody,
): Promise<IntegrationRow> {
  const { tenantId, botId } = bot;
  const exists = await withTenant(deps.database, [tenantId], (tx) => getBot(tx, tenantId, botId));
  if (!exists) throw notFound('bot');
  const key = { tenantId, botId, integrationId: uuidv7() };
  const { tokenHash, ...identity } = await tryToken(deps, new Secret(body.credentials.botToken));
  const stored = await protect(deps, key, body.credentials.botName, {
    ...identity,
    webhookSecretToken: body.settings?.messenger?.webhookSecretToken ?? randomBytes(32).toString('base64url'),
  });
  return await withTenant(deps.database, [tenantId], async (tx) => {
    if (!(await lockBot(tx, bot, 'key share'))) throw notFound('bot');
    const row = await insertIntegration(tx, {
      ...key,
      ...stored,
      tokenHash,
      integrationType: body.integrationType,
      isEnabled: body.enabled,
    });
    await deps.outbox.emit(tx, integrationSaved, toIntegrationState(row));
    return row;
  });
}

/** Changes the fields that the body carries; a new token is tried first. @throws HttpError as `createIntegration`. */
export async function updateIntegration(
  deps: Deps,
  key: IntegrationKey,
  body: UpdateIntegrationBody,
): Promise<IntegrationRow> {
  const newToken = body.credentials?.botToken;
  const exists = await withTenant(deps.database, [key.tenantId], (tx) => getIntegration(tx, key));
  if (!exists) throw notFound('integration');
  const { tokenHash, ...identity } = newToken ? await tryToken(deps, new Secret(newToken)) : {};
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const row = await lockIntegration(tx, key);
    if (!row) throw notFound('integration');
    const secrets = await openSecrets(deps, row);
    const webhookSecretToken = body.settings?.messenger?.webhookSecretToken;
    const botName = body.credentials?.botName ?? row.maskedCredentials.botName ?? '';
    const change = await protect(deps, key, botName, {
      ...secrets,
      ...identity,
      ...(webhookSecretToken ? { webhookSecretToken } : {}),
    });
    const isEnabled = body.enabled ?? row.isEnabled;
    const updated = await updateIntegrationRow(tx, key, {
      ...change,
      ...(tokenHash ? { tokenHash } : {}),
      isEnabled,
    });
    await deps.outbox.emit(tx, integrationSaved, toIntegrationState(updated));
    return updated;
  });
}

/** @throws HttpError 404. */
export async function deleteIntegration(deps: Deps, key: IntegrationKey): Promise<void> {
  await withTenant(deps.database, [key.tenantId], async (tx) => {
    if (!(await removeIntegration(deps, tx, key))) throw notFound('integration');
  });
}

/** Deletes an integration and announces it in the caller's transaction. `false` when there is none. */
export async function removeIntegration(deps: Deps, tx: TenantTx, key: IntegrationKey): Promise<boolean> {
  const row = await deleteIntegrationRow(tx, key);
  if (!row) return false;
  await deps.outbox.emit(tx, integrationDeleted, { ...key, revision: row.revision + 1 });
  return true;
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

/** What is written of an integration's secrets: sealed and masked, never plain. */
async function protect(
  deps: Deps,
  key: IntegrationKey,
  botName: string,
  secrets: MessengerSecrets,
): Promise<Pick<NewIntegration, 'sealedSecrets' | 'maskedCredentials' | 'maskedSettings'>> {
  return {
    sealedSecrets: await deps.keyring.seal(new Secret(JSON.stringify(secrets)), integrationBinding(key)),
    maskedCredentials: { botToken: mask(secrets.botToken), botName },
    maskedSettings: { messenger: { webhookSecretToken: mask(secrets.webhookSecretToken) } },
  };
}

async function openSecrets(deps: Deps, row: IntegrationRow): Promise<MessengerSecrets> {
  const opened = await deps.keyring.open(row.sealedSecrets, integrationBinding(row));
  return MessengerSecrets.parse(JSON.parse(opened.reveal()));
}

/** An integration as it is announced to the webhooks service. */
export function toIntegrationState(row: IntegrationRow): IntegrationState {
  const { tenantId, integrationId, botId, integrationType, isEnabled, sealedSecrets, revision } = row;
  return { tenantId, integrationId, botId, integrationType, isEnabled, sealedSecrets, revision };
}
