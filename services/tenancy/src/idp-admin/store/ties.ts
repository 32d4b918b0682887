import type { Role } from '@botyard/shared/auth/caller';
import type { PlatformTx } from '@botyard/shared/db/database';

/** What a user of the identity provider is here. */
export interface TiedUser {
  userId: string;
  tenants: { tenantId: string; role: Role }[];
}

/** Living people, by the identity provider's identifiers. */
export async function listTiesOfUsers(
  tx: PlatformTx,
  idpUserIds: readonly string[],
): Promise<Map<string, TiedUser>> {
  const rows = await tx.query<{ idp_user_id: string } & TiedUser>({
    name: 'tenancy.ties.users',
    text: `select u.idp_user_id, u.user_id as "userId",
             coalesce((select json_agg(json_build_object('tenantId', m.tenant_id, 'role', m.role) order by m.tenant_id desc)
                       from tenancy.memberships m where m.user_id = u.user_id), '[]') as tenants
           from tenancy.users u where u.idp_user_id = any ($1) and u.deleted_at is null`,
    values: [idpUserIds],
  });
  return new Map(rows.map(({ idp_user_id, ...tied }) => [idp_user_id, tied]));
}

export interface TiedTenant {
  tenantId: string;
  tenantName: string;
}

/** The tenants that stand for organizations. */
export async function listTiesOfOrganizations(
  tx: PlatformTx,
  idpOrgIds: readonly string[],
): Promise<Map<string, TiedTenant>> {
  const rows = await tx.query<{ idp_org_id: string } & TiedTenant>({
    name: 'tenancy.ties.organizations',
    text: `select idp_org_id, tenant_id as "tenantId", name as "tenantName" from tenancy.tenants where idp_org_id = any ($1)`,
    values: [idpOrgIds],
  });
  return new Map(rows.map(({ idp_org_id, ...tied }) => [idp_org_id, tied]));
}

/**
 * Whether a person is the only living admin of a tenant: of any, or of the one of an organization, there by the
 * provider's word alone.
 */
export async function isLastAdmin(
  tx: PlatformTx,
  { idpUserId, idpOrgId = null }: { idpUserId: string; idpOrgId?: string | null },
): Promise<boolean> {
  const rows = await tx.query({
    name: 'tenancy.ties.last_admin',
    text: `select from tenancy.memberships m
             join tenancy.users u using (user_id)
             join tenancy.tenants t using (tenant_id)
             left join tenancy.idp_grants g using (tenant_id, user_id)
           where u.idp_user_id = $1 and u.deleted_at is null and m.role = 'admin'
             and ($2::text is null or (t.idp_org_id = $2 and m.source = 'idp' and g.role = 'admin'))
             and not exists (select from tenancy.memberships o join tenancy.users p using (user_id)
                             where o.tenant_id = m.tenant_id and o.user_id <> m.user_id
                               and o.role = 'admin' and p.deleted_at is null)
           limit 1`,
    values: [idpUserId, idpOrgId],
  });
  return rows.length > 0;
}
