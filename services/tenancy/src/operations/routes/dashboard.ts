import type { dashboardRouter } from '@botyard/contracts/http/dashboard';
import { type PageRequest, pageOf } from '@botyard/contracts/http/page';
import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { reachedBy } from '../../people/routes/administered.ts';
import { getTenant, listAllTenants, listTenants, type TenantRow } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import { activityOf, spanOfActivity } from '../domain/dashboard-activity.ts';
import { statusOf } from '../domain/dashboard-status.ts';

const maxTenants = 500;

export const dashboardHandlers: Handlers<typeof dashboardRouter, Deps> = {
  getDashboardStatus: async ({ tenantId }, deps) => {
    const tenant = await withTenant(deps.database, [tenantId], (tx) => getTenant(tx, tenantId));
    const [status] = tenant ? await statusOf(deps, [tenant]) : [];
    if (!status) throw notFound('tenant');
    return status;
  },

  getDashboardActivity: ({ tenantId, query }, deps) =>
    activityOf(deps, [tenantId], spanOfActivity(query, new Date())),

  listDashboardStatus: async ({ caller, query }, deps) => {
    const rows = await listReached(deps, caller, query);
    const page = pageOf(
      rows,
      query,
      (row) => row,
      ({ tenantId }) => tenantId,
    );
    return { items: await statusOf(deps, page.items), next: page.next };
  },

  getTenantsActivity: async ({ caller, query }, deps) => {
    const rows = await listReached(deps, caller, { limit: maxTenants, tenantId: query.tenantId });
    const tenantIds = rows.slice(0, maxTenants).map(({ tenantId }) => tenantId);
    return await activityOf(deps, tenantIds, spanOfActivity(query, new Date()));
  },
};

/** A page of the tenants that the caller administers, or of all tenants for an operator, newest first. */
async function listReached(
  { database }: Pick<Deps, 'database'>,
  caller: Caller,
  { tenantId, ...page }: PageRequest & { tenantId?: string | undefined },
): Promise<TenantRow[]> {
  const reach = reachedBy(caller, tenantId);
  return reach === 'everybody'
    ? await withPlatform(database, 'list tenants for an operator', (tx) => listAllTenants(tx, page))
    : await withTenant(database, reach, (tx) => listTenants(tx, page));
}
