import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { policies } from '../../store/authorization-schema.ts';

export type PolicyRow = typeof policies.$inferSelect;
type NewPolicy = Pick<
  PolicyRow,
  'tenantId' | 'policyId' | 'name' | 'description' | 'text' | 'isEnabled' | 'createdBy'
>;
type Changeable = Pick<PolicyRow, 'name' | 'description' | 'text' | 'isEnabled'>;
/** `undefined` leaves a field unchanged. */
type PolicyChange = { [Name in keyof Changeable]?: Changeable[Name] | undefined };

const stored = rowsOf(policies, 'tenantId', 'policyId');
export const { get: getPolicy, remove: deletePolicy } = stored;

export const countPolicies = (tx: TenantTx, tenantId: string) => stored.count(tx, { tenantId });

/** @throws HttpError 409 when the name is taken in the tenant. */
export async function insertPolicy(tx: TenantTx, policy: NewPolicy): Promise<PolicyRow> {
  const [row] = await translated(tx.db.insert(policies).values(policy).returning(), refusals);
  return row!;
}

export type EnabledPolicy = Pick<PolicyRow, 'policyId' | 'name' | 'text'>;

/** The tenant's enabled policies, which decisions use. */
export async function listEnabledPolicies(tx: TenantTx, tenantId: string): Promise<EnabledPolicy[]> {
  return await tx.db
    .select({ policyId: policies.policyId, name: policies.name, text: policies.text })
    .from(policies)
    .where(and(eq(policies.tenantId, tenantId), eq(policies.isEnabled, true)))
    .orderBy(policies.policyId);
}

/** Newest first, one more than the page's limit. */
export const listPolicies = (tx: TenantTx, tenantId: string, page: PageRequest) =>
  stored.list(tx, { tenantId }, page);

/** @throws HttpError 409 when the name is taken in the tenant. */
export const updatePolicy = (
  tx: TenantTx,
  key: Pick<PolicyRow, 'tenantId' | 'policyId'>,
  change: PolicyChange,
): Promise<PolicyRow | undefined> =>
  translated(stored.update(tx, key, { ...change, updatedAt: sql`now()` }), refusals);

const refusals = {
  policies_one_of_a_name: (cause: unknown) =>
    conflict('the tenant already has a policy of this name: choose another name', {
      cause,
    }),
};
