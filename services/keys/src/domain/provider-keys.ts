import { findMissingAgents } from '@botyard/contracts/events/agents';
import { keyStored } from '@botyard/contracts/events/keys';
import { findBot } from '@botyard/contracts/events/tenancy';
import { type CreateKeyBody, maxKeys } from '@botyard/contracts/http/keys';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, invalid, notFound, unprocessable } from '@botyard/shared/http/errors';
import { mask, Secret } from '@botyard/shared/secrets/secret';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { countKeys, deleteKey, insertKey, type KeyRow, lockKey, lockKeysOf } from '../store/keys.ts';
import { markInvalid } from './mark-invalid.ts';
import { keyBinding } from './open-key.ts';

/**
 * Stores a key (REQ-KEY-1), sealed for its tenant, its identifier, its provider and the host that
 * it may be sent to. Several keys for the same provider and scope may exist; the newest is chosen.
 * @throws HttpError 400 for a scope that the tenant doesn't have, 409 when the limit is reached, 422 when the
 * private LLM isn't configured, 503 when the service that knows the scope doesn't answer.
 */
export async function storeProviderKey(deps: Deps, tenantId: string, body: CreateKeyBody): Promise<KeyRow> {
  const { provider, keyType, scopeType } = body;
  const { host } = deps.providers[provider];
  if (host === null)
    throw unprocessable(`the provider ${provider} is not configured on this installation`, {
      isExpected: true,
    });
  const scopeId = await requireScope(deps, tenantId, body);
  const keyId = uuidv7();
  const apiKey = new Secret(body.apiKey);
  const sealedKey = await deps.keyring.seal(apiKey, keyBinding({ tenantId, keyId, provider, host }));
  return await withTenant(deps.database, [tenantId], async (tx) => {
    await requireRoom(tx, tenantId);
    await deps.outbox.emit(tx, keyStored, { tenantId, keyId, provider });
    return await insertKey(tx, {
      tenantId,
      keyId,
      provider,
      keyType,
      scopeType,
      scopeId,
      host,
      maskedKey: mask(body.apiKey),
      sealedKey,
    });
  });
}

async function requireRoom(tx: TenantTx, tenantId: string): Promise<void> {
  await lockKeysOf(tx, tenantId);
  if ((await countKeys(tx, tenantId)) < maxKeys) return;
  throw conflict(`a tenant has ${maxKeys} keys at most: delete some first`);
}

/** Marks a key invalid: once this resolves it is no longer chosen (REQ-KEY-3). @throws HttpError 404. */
export async function invalidateProviderKey(deps: Deps, tenantId: string, keyId: string): Promise<KeyRow> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const row = await lockKey(tx, { tenantId, keyId });
    if (!row) throw notFound('key');
    return await markInvalid(deps, tx, row, 'person');
  });
}

/** @throws HttpError 404. */
export async function deleteProviderKey(deps: Deps, tenantId: string, keyId: string): Promise<void> {
  const isDeleted = await withTenant(deps.database, [tenantId], (tx) => deleteKey(tx, { tenantId, keyId }));
  if (!isDeleted) throw notFound('key');
}

/**
 * The scope of a key: the identifier of a bot or agent of the tenant, `null` for all of it. A key meant for one bot
 * must not serve the whole tenant because `scopeType` was forgotten. @throws HttpError 400, and 503 when it can't be
 * checked.
 */
async function requireScope(
  { bus }: Pick<Deps, 'bus'>,
  tenantId: string,
  { scopeType, scopeId: named }: CreateKeyBody,
): Promise<string | null> {
  const scopeId = named?.toLowerCase() ?? null;
  if (scopeType === 'tenant') {
    if (scopeId !== null && scopeId !== tenantId) throw wrong('needs the scopeType bot or agent');
    return null;
  }
  if (scopeId === null || !(await isThere[scopeType](bus, tenantId, scopeId)))
    throw wrong(`the tenant has no ${scopeType} with this identifier`);
  return scopeId;
}

type Look = (bus: Deps['bus'], tenantId: string, scopeId: string) => Promise<boolean>;

const isThere: Readonly<Record<'bot' | 'agent', Look>> = {
  bot: async (bus, tenantId, botId) => (await ask(bus, findBot, { tenantId, botId })).bot !== null,
  agent: async (bus, tenantId, agentId) =>
    (await ask(bus, findMissingAgents, { tenantId, agentIds: [agentId] })).missing.length === 0,
};

const wrong = (message: string) => invalid([{ path: ['scopeId'], message }]);
