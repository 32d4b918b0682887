import { createHash, randomBytes } from 'node:crypto';
import { apiTokenPrefix, type CreateApiTokenBody, maxApiTokens } from '@botyard/contracts/http/auth-tokens';
import type { TokenIdentity } from '@botyard/contracts/identity';
import type { Caller } from '@botyard/shared/auth/caller';
import { type Database, withPlatformRelaxed } from '@botyard/shared/db/database';
import { conflict, invalid, notFound } from '@botyard/shared/http/errors';
import { mask } from '@botyard/shared/secrets/secret';
import { v7 as uuidv7 } from 'uuid';
import { announcing } from '../../authorization/domain/announcing.ts';
import type { Deps } from '../../deps.ts';
import {
  type ApiTokenKey,
  type ApiTokenRow,
  countApiTokens,
  deleteApiToken,
  getTokenReach,
  insertApiToken,
  type LivingToken,
  useApiToken,
} from '../store/api-tokens.ts';

/**
 * Creates a token, whose text is only in the result. Recorded in the audit log. @throws HttpError 400 for an end in the
 * past, 409 when the limit is reached.
 */
export async function createApiToken(
  deps: Pick<Deps, 'database' | 'outbox' | 'log'>,
  { tenantId, createdBy }: { tenantId: string; createdBy: string },
  { name, role, expiresAt }: CreateApiTokenBody,
): Promise<{ token: string; row: ApiTokenRow }> {
  const endsAt = expiresAt ? new Date(expiresAt) : null;
  if (endsAt && endsAt <= new Date())
    throw invalid([{ path: ['expiresAt'], message: 'must be in the future' }]);
  const token = `${apiTokenPrefix}${randomBytes(32).toString('base64url')}`;
  const tokenId = uuidv7();
  const row = await announcing(deps, tenantId, async (tx) => {
    if ((await countApiTokens(tx, tenantId)) >= maxApiTokens) throw tooMany();
    const stored = { tokenHash: hashOf(token), maskedToken: mask(token) };
    return await insertApiToken(tx, {
      tenantId,
      tokenId,
      ...stored,
      name,
      role,
      createdBy,
      expiresAt: endsAt,
    });
  });
  deps.log.info({ audit: 'API token created', subject: tokenId, tenantId, role, expiresAt }, 'audit');
  return { token, row };
}

const tooMany = () =>
  conflict(`this tenant may have at most ${maxApiTokens} API tokens: revoke one that is not needed`);

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * Revokes a token. It is refused from the commit on; processes that have it cached refuse it within 1 s. Recorded in
 * the audit log. @throws HttpError 404.
 */
export async function revokeApiToken(
  deps: Pick<Deps, 'database' | 'outbox' | 'log'>,
  key: ApiTokenKey,
): Promise<void> {
  await announcing(deps, key.tenantId, async (tx) => {
    if (!(await deleteApiToken(tx, key))) throw notFound('token');
  });
  deps.log.info({ audit: 'API token revoked', subject: key.tokenId, tenantId: key.tenantId }, 'audit');
}

/** The answer to the gateway for a token hash; `null` if no valid token has it. */
export async function findApiToken(
  { database }: Pick<Deps, 'database'>,
  tokenHash: string,
): Promise<LivingToken | null> {
  return (
    (await withPlatformRelaxed(database, 'use an API token', (tx) => useApiToken(tx, tokenHash))) ?? null
  );
}

/**
 * A program as a caller: in its own tenant only, with its own role, and never an operator. Resolves with `null` once
 * the token is revoked or expired.
 */
export async function findTokenCaller(
  database: Database,
  { tokenId, tenantId }: TokenIdentity,
): Promise<Caller | null> {
  const reach = await getTokenReach(database, { tenantId, tokenId });
  if (!reach) return null;
  return {
    userId: tokenId,
    idpUserId: `token:${tokenId}`,
    sessionId: tokenId,
    email: null,
    isOperator: false,
    roles: new Map([[tenantId, reach.role]]),
    bots: new Map(),
    policedTenantIds: new Set(reach.isPoliced ? [tenantId] : []),
    unvisitedTenantIds: new Set(),
    activeTenantId: tenantId,
    token: { tokenId, expiresAt: reach.expiresAt?.toISOString() ?? null },
  };
}
