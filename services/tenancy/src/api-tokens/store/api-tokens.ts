import type { PageRequest } from '@botyard/contracts/http/page';
import type { Role } from '@botyard/shared/auth/caller';
import { type Database, type PlatformTx, runForTenants, type TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt } from '@botyard/shared/db/drizzle';
import { exists, number, orNull } from '@botyard/shared/db/expressions';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { apiTokens } from '../../store/api-tokens-schema.ts';
import { memberships } from '../../store/schema.ts';

export interface ApiTokenKey {
  tenantId: string;
  tokenId: string;
}

type NewApiToken = Omit<typeof apiTokens.$inferSelect, 'createdAt' | 'lastUsedAt'>;
/** A token as listed, with its creator's current role in the tenant. */
export type ApiTokenRow = Omit<typeof apiTokens.$inferSelect, 'tenantId' | 'tokenHash'> & {
  creatorRole: Role | null;
};

const { tokenId, name, role, maskedToken, createdBy, createdAt, lastUsedAt, expiresAt } = apiTokens;
const listed = { tokenId, name, role, maskedToken, createdBy, createdAt, lastUsedAt, expiresAt };

const selectListed = (tx: TenantTx) =>
  tx.db
    .select({ ...listed, creatorRole: memberships.role })
    .from(apiTokens)
    .leftJoin(
      memberships,
      and(eq(memberships.tenantId, apiTokens.tenantId), eq(memberships.userId, apiTokens.createdBy)),
    );

const stored = rowsOf(apiTokens, 'tenantId', 'tokenId');

/** Newest first, one more than the page's limit. */
export async function listApiTokens(
  tx: TenantTx,
  tenantId: string,
  { limit, before }: PageRequest,
): Promise<ApiTokenRow[]> {
  return await selectListed(tx)
    .where(and(eq(apiTokens.tenantId, tenantId), before ? lt(apiTokens.tokenId, before) : undefined))
    .orderBy(desc(apiTokens.tokenId))
    .limit(limit + 1);
}

export const countApiTokens = (tx: TenantTx, tenantId: string) => stored.count(tx, { tenantId });

export async function insertApiToken(tx: TenantTx, token: NewApiToken): Promise<ApiTokenRow> {
  await tx.db.insert(apiTokens).values(token);
  const [row] = await selectListed(tx).where(stored.matches(token));
  return row!;
}

export const deleteApiToken = stored.remove;

const livingToken = columns({
  tenantId: apiTokens.tenantId,
  tokenId,
  expiresInMs: orNull(number('extract(epoch from expires_at - now()) * 1000')),
});
export type LivingToken = RowOf<typeof livingToken>;

/** The valid token of a hash, by the database's clock. Marks it as used. */
export async function useApiToken(tx: PlatformTx, tokenHash: string): Promise<LivingToken | undefined> {
  const [[row]] = await Promise.all([
    tx.query({
      name: 'tenancy.api_tokens.find',
      text: typedSql`select ${livingToken}
             from tenancy.api_tokens where token_hash = $1 and (expires_at is null or expires_at > now())`,
      values: [tokenHash],
    }),
    tx.query({
      name: 'tenancy.api_tokens.use',
      text: `update tenancy.api_tokens set last_used_at = now()
             where token_hash = $1 and (expires_at is null or expires_at > now())
               and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
      values: [tokenHash],
    }),
  ]);
  return row;
}

const tokenReach = columns({
  role,
  expiresAt,
  isPoliced: exists('from tenancy.policies p where p.tenant_id = $1 and p.is_enabled'),
});
type TokenReach = RowOf<typeof tokenReach>;

/** A valid token's current rights. */
export async function getTokenReach(database: Database, key: ApiTokenKey): Promise<TokenReach | undefined> {
  const [row] = await runForTenants(database, [key.tenantId], {
    name: 'tenancy.api_tokens.reach',
    text: typedSql`select ${tokenReach}
           from tenancy.api_tokens
           where tenant_id = $1 and token_id = $2 and (expires_at is null or expires_at > now())`,
    values: [key.tenantId, key.tokenId],
  });
  return row;
}

/** Removes the creators' identifiers from tokens, which outlive their creators. */
export async function forgetCreators(tx: PlatformTx, idpUserIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'tenancy.api_tokens.forget_creators',
    text: `update tenancy.api_tokens t set created_by = null
           from tenancy.users u where u.idp_user_id = any ($1) and t.created_by = u.user_id`,
    values: [idpUserIds],
  });
}
