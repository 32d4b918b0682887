import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt, sql } from '@botyard/shared/db/drizzle';
import type { PageRequest } from '@botyard/shared/http/page';
import { keys } from './schema.ts';

export type KeyRow = typeof keys.$inferSelect;
export type NewKey = Omit<KeyRow, 'status' | 'createdAt' | 'updatedAt'>;

const matches = (key: { tenantId: string; keyId: string }) =>
  and(eq(keys.tenantId, key.tenantId), eq(keys.keyId, key.keyId));

export async function insertKey(tx: TenantTx, key: NewKey): Promise<KeyRow> {
  const [row] = await tx.db.insert(keys).values(key).returning();
  return row!;
}

/** Newest first, one more than the page's limit. */
export async function listKeys(tx: TenantTx, tenantId: string, page: PageRequest): Promise<KeyRow[]> {
  return await tx.db
    .select()
    .from(keys)
    .where(and(eq(keys.tenantId, tenantId), page.before ? lt(keys.keyId, page.before) : undefined))
    .orderBy(desc(keys.keyId))
    .limit(page.limit + 1);
}

export async function invalidateKey(
  tx: TenantTx,
  key: { tenantId: string; keyId: string },
): Promise<KeyRow | undefined> {
  const [row] = await tx.db
    .update(keys)
    .set({ status: 'invalid', updatedAt: sql`now()` })
    .where(matches(key))
    .returning();
  return row;
}

/** Whether there was one. */
export async function deleteKey(tx: TenantTx, key: { tenantId: string; keyId: string }): Promise<boolean> {
  const rows = await tx.db.delete(keys).where(matches(key)).returning({ keyId: keys.keyId });
  return rows.length > 0;
}

export async function deleteKeysOfTenant(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db.delete(keys).where(eq(keys.tenantId, tenantId));
}

export interface CandidateRow {
  key_id: string;
  scope_type: KeyRow['scopeType'];
  status: KeyRow['status'];
  host: string;
  sealed_key: string;
}

/** The keys that could serve, whatever their status: agent before bot before tenant, the newest first. */
export async function listCandidates(
  tx: TenantTx,
  wanted: { tenantId: string; provider: string; botId?: string | undefined; agentId?: string | undefined },
): Promise<CandidateRow[]> {
  return await tx.query<CandidateRow & Record<string, unknown>>({
    name: 'keys.candidates',
    text: `select key_id, scope_type, status, host, sealed_key from keys.keys
           where tenant_id = $1 and provider = $2
             and (scope_type = 'tenant' or (scope_type = 'bot' and scope_id = $3)
               or (scope_type = 'agent' and scope_id = $4))
           order by array_position(array['agent', 'bot', 'tenant'], scope_type), key_id desc`,
    values: [wanted.tenantId, wanted.provider, wanted.botId ?? null, wanted.agentId ?? null],
  });
}
