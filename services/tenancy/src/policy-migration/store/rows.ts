import type { PlatformTx } from '@botyard/shared/db/database';
import { alias, and, eq } from '@botyard/shared/db/drizzle';
import { orNull } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { policies } from '../../store/authorization-schema.ts';
import { idpGrants, memberships } from '../../store/schema.ts';

/** Makes memberships independent of the provider. The caller has locked the tenant. */
export async function convertSeats(
  tx: PlatformTx,
  tenantId: string,
  userIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: 'tenancy.policy_migration.convert',
    text: `update tenancy.memberships set source = 'api', kept_since = null
           where tenant_id = $1 and user_id = any ($2::uuid[]) and source = 'idp'`,
    values: [tenantId, userIds],
  });
}

const { userId, edgeId, role, source } = alias(memberships, 'm');
const seatNow = columns({ userId, edgeId, role, source, grantedRole: orNull(alias(idpGrants, 'g').role) });
export type SeatNow = RowOf<typeof seatNow>;

export async function listSeatsNow(
  tx: PlatformTx,
  tenantId: string,
  userIds: readonly string[],
): Promise<SeatNow[]> {
  return await tx.query({
    name: 'tenancy.policy_migration.seats_now',
    text: typedSql`select ${seatNow}
           from tenancy.memberships m left join tenancy.idp_grants g using (tenant_id, user_id)
           where m.tenant_id = $1 and m.user_id = any ($2::uuid[])`,
    values: [tenantId, userIds],
  });
}

/** Makes memberships mirrored again. A person whom the tenant has kept since then stays kept. */
export async function mirrorSeats(
  tx: PlatformTx,
  tenantId: string,
  seats: readonly { userId: string; keptSince: string | null }[],
): Promise<void> {
  await tx.query({
    name: 'tenancy.policy_migration.mirror',
    text: `update tenancy.memberships m set source = 'idp', kept_since = coalesce(s.kept_since, m.kept_since)
           from unnest($2::uuid[], $3::timestamptz[]) as s (user_id, kept_since)
           where m.tenant_id = $1 and m.user_id = s.user_id`,
    values: [tenantId, seats.map(({ userId }) => userId), seats.map(({ keptSince }) => keptSince)],
  });
}

export interface MigratedPolicy {
  name: string;
  description: string;
  text: string;
  isEnabled: boolean;
}

/** Returns `false` when the tenant has a policy of this name. */
export async function insertMigratedPolicy(
  tx: PlatformTx,
  policy: MigratedPolicy & { tenantId: string; policyId: string; createdBy: string | null },
): Promise<boolean> {
  const rows = await tx.db
    .insert(policies)
    .values({ ...policy, origin: 'migration' })
    .onConflictDoNothing({ target: [policies.tenantId, policies.name] })
    .returning({ policyId: policies.policyId });
  return rows.length > 0;
}

/** Deletes a policy that is unchanged since its creation. Otherwise returns the reason why not. */
export async function deleteMigratedPolicy(
  tx: PlatformTx,
  { tenantId, policyId, ...made }: MigratedPolicy & { tenantId: string; policyId: string },
): Promise<'edited' | 'missing' | null> {
  const isIt = and(eq(policies.tenantId, tenantId), eq(policies.policyId, policyId));
  const [row] = await tx.db.select().from(policies).where(isIt).for('update');
  if (!row) return 'missing';
  const isAsMade =
    row.name === made.name &&
    row.description === made.description &&
    row.text === made.text &&
    row.isEnabled === made.isEnabled;
  if (!isAsMade) return 'edited';
  await tx.db.delete(policies).where(isIt);
  return null;
}
