import type { Role } from '@botyard/shared/auth/caller';
import type { PlatformTx } from '@botyard/shared/db/database';
import { alias, eq } from '@botyard/shared/db/drizzle';
import { boolean } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { idpGrants, memberships, users } from '../../store/schema.ts';

/** A tenant's current membership. */
export interface Seat {
  userId: string;
  idpUserId: string;
  role: Role;
  source: 'api' | 'idp';
  isUserDeleted: boolean;
}

export interface SeatPlan {
  /** New seats and changed roles, from the provider. */
  put: { userId: string; role: Role }[];
  remove: string[];
  /** The person who stays an admin only because the tenant would have none otherwise. */
  kept: string | null;
  /** Memberships that were changed through the API, which controls them from now on. */
  claimed: string[];
  /** The roles that the provider grants now; `null` for none. */
  grants: Map<string, Role | null>;
}

/** A tenant's memberships and the provider's last grants. Requires the tenant's lock. */
export async function listSeats(
  tx: PlatformTx,
  tenantId: string,
): Promise<{ seats: Seat[]; grants: Map<string, Role> }> {
  const seats = await tx.db
    .select({
      userId: memberships.userId,
      idpUserId: users.idpUserId,
      role: memberships.role,
      source: memberships.source,
      deletedAt: users.deletedAt,
    })
    .from(memberships)
    .innerJoin(users, eq(users.userId, memberships.userId))
    .where(eq(memberships.tenantId, tenantId));
  const grants = await tx.db.select().from(idpGrants).where(eq(idpGrants.tenantId, tenantId));
  return {
    seats: seats.map(({ deletedAt, ...seat }) => ({ ...seat, isUserDeleted: deletedAt !== null })),
    grants: new Map(grants.map(({ userId, role }) => [userId, role])),
  };
}

/** Applies a plan. Returns whether a person is newly kept as the last admin. */
export async function saveSeats(tx: PlatformTx, tenantId: string, plan: SeatPlan): Promise<boolean> {
  await putSeats(tx, tenantId, plan.put);
  if (plan.remove.length > 0) {
    await tx.query({
      name: 'tenancy.seats.remove',
      text: 'delete from tenancy.memberships where tenant_id = $1 and user_id = any ($2::uuid[])',
      values: [tenantId, plan.remove],
    });
  }
  if (plan.claimed.length > 0) {
    await tx.query({
      name: 'tenancy.seats.claim',
      text: `update tenancy.memberships set source = 'api' where tenant_id = $1 and user_id = any ($2::uuid[])`,
      values: [tenantId, plan.claimed],
    });
  }
  await saveGrants(tx, tenantId, plan.grants);
  return await saveKept(tx, tenantId, plan.kept);
}

async function putSeats(tx: PlatformTx, tenantId: string, put: SeatPlan['put']): Promise<void> {
  if (put.length === 0) return;
  await tx.query({
    name: 'tenancy.seats.put',
    text: `insert into tenancy.memberships as m (tenant_id, user_id, role, source, visited_at)
           select $1, user_id, role, 'idp', now() from unnest($2::uuid[], $3::text[]) as t (user_id, role)
           on conflict (tenant_id, user_id) do update set role = excluded.role, source = 'idp',
             visited_at = coalesce(m.visited_at, now())`,
    values: [tenantId, put.map(({ userId }) => userId), put.map(({ role }) => role)],
  });
}

/** Marks the person who is kept as an admin, and unmarks others. */
async function saveKept(tx: PlatformTx, tenantId: string, userId: string | null): Promise<boolean> {
  const changed = await tx.query({
    name: 'tenancy.seats.keep',
    text: typedSql`update tenancy.memberships set kept_since = case when user_id = $2 then now() end
           where tenant_id = $1 and (kept_since is not null) <> (user_id is not distinct from $2)
           returning ${columns({ isKept: boolean('kept_since is not null') })}`,
    values: [tenantId, userId],
  });
  return changed.some((row) => row.isKept);
}

/** The memberships of people who are kept as the last admin although their tenant has another admin. */
const keptNeedlessly = `tenancy.memberships k where k.kept_since is not null and exists (
  select from tenancy.memberships m join tenancy.users u using (user_id)
  where m.tenant_id = k.tenant_id and m.user_id <> k.user_id and m.role = 'admin' and u.deleted_at is null)`;

export const isReleaseDue = `exists (select from ${keptNeedlessly})`;

/** Tenants that keep a person as the last admin although they have another admin. */
export async function listTenantsToRelease(tx: PlatformTx, limit: number): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.seats.to_release',
    text: typedSql`select ${columns({ tenantId: alias(memberships, 'k').tenantId })} from ${keptNeedlessly} limit $1`,
    values: [limit],
  });
  return rows.map((row) => row.tenantId);
}

/** The provider's last grants; `null` for none. */
export async function saveGrants(
  tx: PlatformTx,
  tenantId: string,
  grants: ReadonlyMap<string, Role | null>,
): Promise<void> {
  if (grants.size === 0) return;
  await tx.query({
    name: 'tenancy.grants.delete',
    text: 'delete from tenancy.idp_grants where tenant_id = $1 and user_id = any ($2::uuid[])',
    values: [tenantId, [...grants.keys()]],
  });
  const newGrants = [...grants].filter(([, role]) => role !== null);
  await tx.query({
    name: 'tenancy.grants.insert',
    text: `insert into tenancy.idp_grants (tenant_id, user_id, role)
           select $1, user_id, role from unnest($2::uuid[], $3::text[]) as t (user_id, role)`,
    values: [tenantId, newGrants.map(([userId]) => userId), newGrants.map(([, role]) => role)],
  });
}

/** Deletes the tenant selections of these people's sessions. */
export async function deleteSelectionsOf(tx: PlatformTx, idpUserIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'tenancy.session_tenants.delete_of',
    text: `delete from tenancy.session_tenants s using tenancy.users u
           where s.user_id = u.user_id and u.idp_user_id = any ($1)`,
    values: [idpUserIds],
  });
}
