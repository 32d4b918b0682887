import type { PageRequest } from '@botyard/contracts/http/page';
import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { isForeignKeyViolation } from '@botyard/shared/db/failures';
import { rowsOf } from '@botyard/shared/db/rows';
import { forbidden } from '@botyard/shared/http/errors';
import { memberships, tenants } from './schema.ts';

export type TenantRow = typeof tenants.$inferSelect;

const stored = rowsOf(tenants, 'tenantId');

/** Inserts a tenant and its first admin: a tenant without one never exists (REQ-TENANT-1). */
export async function insertTenant(
  tx: PlatformTx,
  tenant: { tenantId: string; name: string; createdBy: string },
  admin: { userId: string; visitedAt: Date | null },
): Promise<TenantRow> {
  const [row] = await tx.db.insert(tenants).values(tenant).returning();
  await tx.db.insert(memberships).values({ tenantId: tenant.tenantId, ...admin, role: 'admin' });
  return row!;
}

export const getTenant = (tx: TenantTx, tenantId: string) => stored.get(tx, { tenantId });

/** One more than the page's limit, which shows whether there is a next page. */
export const listTenants = (tx: TenantTx, page: PageRequest) =>
  stored.list(tx, {}, page, inArray(tenants.tenantId, [...tx.tenantIds]));

/** The same among all tenants of the installation. */
export const listAllTenants = (tx: PlatformTx, page: PageRequest) => stored.list(tx, {}, page);

export const updateTenant = (tx: TenantTx, tenantId: string, change: { name?: string | undefined }) =>
  stored.update(tx, { tenantId }, { ...change, updatedAt: sql`now()` });

/** Locks a tenant until the transaction ends: changes of its people are serialized, and it can't be deleted. */
export const lockTenant = (tx: AnyTx, tenantId: string) => stored.lock(tx, { tenantId }, 'no key update');

export async function tenantExists(tx: PlatformTx, tenantId: string): Promise<boolean> {
  const rows = await tx.db
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId));
  return rows.length > 0;
}

/**
 * @throws HttpError 403 when the tenant was deleted meanwhile: it is out of reach, like every tenant that doesn't
 * exist.
 */
export async function saveSelection(
  tx: PlatformTx,
  selection: { sessionId: string; userId: string; tenantId: string },
): Promise<void> {
  const put = {
    name: 'tenancy.session_tenants.put',
    text: `insert into tenancy.session_tenants (session_id, user_id, tenant_id) values ($1, $2, $3)
           on conflict (session_id, user_id) do update set tenant_id = excluded.tenant_id, selected_at = now()`,
    values: [selection.sessionId, selection.userId, selection.tenantId],
  };
  await tx.query(put).catch((error: unknown) => {
    if (isForeignKeyViolation(error, 'session_tenants_tenant_id_tenants_tenant_id_fk')) throw forbidden();
    throw error;
  });
}
