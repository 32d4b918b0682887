import type { PlatformTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { countOf, number, orNull, text } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { idpGrants, memberships, tenants } from '../../store/schema.ts';

const { tenantId: tenantOfSeat, userId, edgeId, role, keptSince } = alias(memberships, 'm');
const mirroredSeat = columns({
  tenantId: tenantOfSeat,
  userId,
  edgeId,
  role,
  keptSince,
  /** The last role granted by the provider. */
  grantedRole: orNull(alias(idpGrants, 'g').role),
});
/** A membership that mirrors the identity provider's. */
export type MirroredSeat = RowOf<typeof mirroredSeat>;

/** One tenant, or all of them from a position on, newest tenant first. */
export interface Part {
  tenantId?: string;
  before?: { tenantId: string; item: string } | undefined;
  limit?: number;
}

const livingSeats = `tenancy.memberships m join tenancy.users u on u.user_id = m.user_id and u.deleted_at is null`;
/**
 * Uses $migrationId, and $names of policies. A policy that the run created and a person deleted is not created again.
 */
const missingPolicies = `tenancy.tenants t cross join unnest($names::text[]) with ordinality as n (name, number)
  where t.idp_org_id is not null
    and not exists (select from tenancy.policies p where p.tenant_id = t.tenant_id and p.name = n.name)
    and not exists (select from tenancy.policy_migration_rows r where r.migration_id = $migrationId and r.tenant_id = t.tenant_id
                      and r.kind = 'policy' and r.after ->> 'name' = n.name)`;

const pendingCounts = columns({
  edges: countOf(`from ${livingSeats} where m.source = 'idp'`),
  policies: countOf(`from ${missingPolicies}`),
});

/** Only people who are not deleted: the memberships of others are no longer roles. */
export async function listMirroredSeats(
  tx: PlatformTx,
  { tenantId, before, limit }: Part,
): Promise<MirroredSeat[]> {
  return await tx.query({
    name: 'tenancy.policy_migration.seats',
    text: typedSql`select ${mirroredSeat}
           from ${livingSeats} left join tenancy.idp_grants g on g.tenant_id = m.tenant_id and g.user_id = m.user_id
           where m.source = 'idp' and ($1::uuid is null or m.tenant_id = $1)
             and ($2::uuid is null or (m.tenant_id, m.user_id) < ($2, $3::uuid))
           order by m.tenant_id desc, m.user_id desc limit $4`,
    values: [tenantId ?? null, before?.tenantId ?? null, before?.item ?? null, limit ?? null],
  });
}

const missingPolicy = columns({
  tenantId: alias(tenants, 't').tenantId,
  name: text('n.name'),
  number: number('n.number'),
});
/** A policy that a mapped tenant lacks; `number` counts from 1. */
export type MissingPolicy = RowOf<typeof missingPolicy>;

export async function listMissingPolicies(
  tx: PlatformTx,
  { migrationId, names }: { migrationId: string | null; names: readonly string[] },
  { tenantId, before, limit }: Part,
): Promise<MissingPolicy[]> {
  return await tx.query({
    name: 'tenancy.policy_migration.policies',
    text: typedSql`select ${missingPolicy} from ${missingPolicies}
             and ($tenantId::uuid is null or t.tenant_id = $tenantId)
             and ($beforeTenantId::uuid is null or (t.tenant_id, -n.number) < ($beforeTenantId, -$beforeNumber::int))
           order by t.tenant_id desc, n.number limit $limit`,
    values: {
      migrationId,
      names,
      tenantId: tenantId ?? null,
      limit: limit ?? null,
      beforeTenantId: before?.tenantId ?? null,
      beforeNumber: before ? Number(before.item) : null,
    },
  });
}

/** Pending changes in all tenants. */
export async function countPending(
  tx: PlatformTx,
  { migrationId, names }: { migrationId: string | null; names: readonly string[] },
): Promise<{ edges: number; policies: number }> {
  return await tx.one({
    name: 'tenancy.policy_migration.pending',
    text: typedSql`select ${pendingCounts}`,
    values: { migrationId, names },
  });
}

/** Tenants with pending changes, in a fixed order. */
export async function listPendingTenants(
  tx: PlatformTx,
  { migrationId, names }: { migrationId: string; names: readonly string[] },
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.policy_migration.tenants',
    text: typedSql`select ${columns({ tenantId: tenants.tenantId })} from (
             (select distinct m.tenant_id from ${livingSeats}
              where m.source = 'idp' and ($after::uuid is null or m.tenant_id > $after) order by 1 limit $limit)
             union
             (select distinct t.tenant_id from ${missingPolicies} and ($after::uuid is null or t.tenant_id > $after)
              order by 1 limit $limit)) pending
           order by 1 limit $limit`,
    values: { migrationId, names, after, limit },
  });
  return rows.map((row) => row.tenantId);
}
