import type { dashboardRouter } from '@botyard/contracts/http/dashboard';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { administeredBy } from '../../people/routes/administered.ts';
import { getTenant, listTenants } from '../../store/tenants.ts';
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
    const tenantIds = administeredBy(caller, query.tenantId);
    const rows = await withTenant(deps.database, tenantIds, (tx) => listTenants(tx, query));
    const page = pageOf(
      rows,
      query,
      (row) => row,
      ({ tenantId }) => tenantId,
    );
    return { items: await statusOf(deps, page.items), next: page.next };
  },

  getTenantsActivity: ({ caller, query }, deps) => {
    const tenantIds = administeredBy(caller, query.tenantId).sort().reverse().slice(0, maxTenants);
    return activityOf(deps, tenantIds, spanOfActivity(query, new Date()));
  },
};
