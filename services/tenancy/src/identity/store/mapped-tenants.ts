import type { PlatformTx } from '@botyard/shared/db/database';
import { alias, eq, sql } from '@botyard/shared/db/drizzle';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { memberships, tenants } from '../../store/schema.ts';

export async function findTenantOfOrganization(
  tx: PlatformTx,
  idpOrgId: string,
): Promise<string | undefined> {
  const [row] = await tx.db
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .where(eq(tenants.idpOrgId, idpOrgId));
  return row?.tenantId;
}

/** Inserts a tenant without people. The first admin is added in the same transaction. */
export async function insertMappedTenant(
  tx: PlatformTx,
  { creator, ...tenant }: { tenantId: string; name: string; idpOrgId: string; creator: string | null },
): Promise<void> {
  const createdBy = sql`(select user_id from tenancy.users where idp_user_id = ${creator})`;
  await tx.db.insert(tenants).values({ ...tenant, createdBy });
}

export async function removeMapping(tx: PlatformTx, idpOrgId: string): Promise<void> {
  await tx.db.update(tenants).set({ idpOrgId: null }).where(eq(tenants.idpOrgId, idpOrgId));
}

/** Tenants that these people belong to, always in the same order. */
export async function listTenantsOf(tx: PlatformTx, idpUserIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.tenants.of_people',
    text: typedSql`select distinct ${columns({ tenantId: alias(memberships, 'm').tenantId })} from tenancy.memberships m join tenancy.users u using (user_id)
           where u.idp_user_id = any ($1) order by 1`,
    values: [idpUserIds],
  });
  return rows.map((row) => row.tenantId);
}

/** Saves the organization's new name. */
export async function renameTenant(tx: PlatformTx, tenantId: string, name: string): Promise<void> {
  await tx.db.update(tenants).set({ name, updatedAt: sql`now()` }).where(eq(tenants.tenantId, tenantId));
}
