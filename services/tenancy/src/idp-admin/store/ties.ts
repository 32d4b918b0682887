import type { PlatformTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { allOf, shape } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { memberships, tenants, users } from '../../store/schema.ts';

const u = alias(users, 'u');
const m = alias(memberships, 'm');
const tiedUser = columns({
  idpUserId: u.idpUserId,
  userId: u.userId,
  tenants: allOf(
    shape({ tenantId: m.tenantId, role: m.role }),
    'from tenancy.memberships m where m.user_id = u.user_id',
    'm.tenant_id desc',
  ),
});
/** A user of the identity provider in the stored data. */
type TiedUser = Omit<RowOf<typeof tiedUser>, 'idpUserId'>;

/** People who aren't deleted, by the identity provider's identifiers. */
export async function listTiesOfUsers(
  tx: PlatformTx,
  idpUserIds: readonly string[],
): Promise<Map<string, TiedUser>> {
  const rows = await tx.query({
    name: 'tenancy.ties.users',
    text: typedSql`select ${tiedUser}
           from tenancy.users u where u.idp_user_id = any ($1) and u.deleted_at is null`,
    values: [idpUserIds],
  });
  return new Map(rows.map(({ idpUserId, ...tied }) => [idpUserId, tied]));
}

const { idpOrgId: orgId, tenantId, name } = tenants;
const tiedTenant = columns({ idpOrgId: orgId, tenantId, tenantName: name });
type TiedTenant = Omit<RowOf<typeof tiedTenant>, 'idpOrgId'>;

/** The tenants that represent organizations. */
export async function listTiesOfOrganizations(
  tx: PlatformTx,
  idpOrgIds: readonly string[],
): Promise<Map<string, TiedTenant>> {
  const rows = await tx.query({
    name: 'tenancy.ties.organizations',
    text: typedSql`select ${tiedTenant} from tenancy.tenants where idp_org_id = any ($1)`,
    values: [idpOrgIds],
  });
  return new Map(rows.map(({ idpOrgId, ...tied }) => [idpOrgId!, tied]));
}

/**
 * Whether a person is the only remaining admin of a tenant: of any tenant, or of an organization's, where only the
 * provider's grants count.
 */
export async function isLastAdmin(
  tx: PlatformTx,
  { idpUserId, idpOrgId = null }: { idpUserId: string; idpOrgId?: string | null },
): Promise<boolean> {
  return await tx.has({
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
}
