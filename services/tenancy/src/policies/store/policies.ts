import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, count, desc, eq, lt, sql } from '@botyard/shared/db/drizzle';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { conflict } from '@botyard/shared/http/errors';
import { policies } from '../../store/authorization-schema.ts';

export type PolicyRow = typeof policies.$inferSelect;
export type NewPolicy = Pick<
  PolicyRow,
  'tenantId' | 'policyId' | 'name' | 'description' | 'text' | 'isEnabled' | 'createdBy'
>;
export type PolicyChange = Partial<Pick<PolicyRow, 'name' | 'description' | 'text' | 'isEnabled'>>;

const matches = (tenantId: string, policyId: string) =>
  and(eq(policies.tenantId, tenantId), eq(policies.policyId, policyId));

export async function countPolicies(tx: TenantTx, tenantId: string): Promise<number> {
  const [row] = await tx.db.select({ found: count() }).from(policies).where(eq(policies.tenantId, tenantId));
  return row?.found ?? 0;
}

/** @throws HttpError 409 when the name is taken in the tenant. */
export async function insertPolicy(tx: TenantTx, policy: NewPolicy): Promise<PolicyRow> {
  const [row] = await translated(() => tx.db.insert(policies).values(policy).returning());
  return row!;
}

export async function getPolicy(
  tx: TenantTx,
  tenantId: string,
  policyId: string,
): Promise<PolicyRow | undefined> {
  const [row] = await tx.db.select().from(policies).where(matches(tenantId, policyId));
  return row;
}

export type EnabledPolicy = Pick<PolicyRow, 'policyId' | 'name' | 'text'>;

/** The tenant's policies that take part in decisions. */
export async function listEnabledPolicies(tx: TenantTx, tenantId: string): Promise<EnabledPolicy[]> {
  return await tx.db
    .select({ policyId: policies.policyId, name: policies.name, text: policies.text })
    .from(policies)
    .where(and(eq(policies.tenantId, tenantId), eq(policies.isEnabled, true)))
    .orderBy(policies.policyId);
}

/** Newest first, one more than the page's limit. */
export async function listPolicies(tx: TenantTx, tenantId: string, page: PageRequest): Promise<PolicyRow[]> {
  return await tx.db
    .select()
    .from(policies)
    .where(and(eq(policies.tenantId, tenantId), page.before ? lt(policies.policyId, page.before) : undefined))
    .orderBy(desc(policies.policyId))
    .limit(page.limit + 1);
}

/** @throws HttpError 409 when the name is taken in the tenant. */
export async function updatePolicy(
  tx: TenantTx,
  key: { tenantId: string; policyId: string },
  change: PolicyChange,
): Promise<PolicyRow | undefined> {
  const [row] = await translated(() =>
    tx.db
      .update(policies)
      .set({ ...change, updatedAt: sql`now()` })
      .where(matches(key.tenantId, key.policyId))
      .returning(),
  );
  return row;
}

export async function deletePolicy(tx: TenantTx, tenantId: string, policyId: string): Promise<boolean> {
  const rows = await tx.db.delete(policies).where(matches(tenantId, policyId)).returning();
  return rows.length > 0;
}

async function translated<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'policies_one_of_a_name')) throw error;
    throw conflict('the tenant has a policy of this name already', { code: 'name_taken', cause: error });
  }
}
