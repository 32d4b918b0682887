import type { botsRouter, Tenant } from '@botyard/contracts/http/bots';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant, withTenantAtOnce } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { toBot } from '../../bots/routes/bots.ts';
import type { Deps } from '../../deps.ts';
import { administeredBy } from '../../people/routes/administered.ts';
import { listTenants, type TenantRow, updateTenant } from '../../store/tenants.ts';
import { deleteTenant } from '../domain/delete-tenant.ts';
import { createTenant } from '../domain/tenants.ts';
import { getTenantWithBots } from '../store/tenant-with-bots.ts';

type TenantRoutes = 'listTenants' | 'createTenant' | 'getTenant' | 'updateTenant' | 'deleteTenant';

/** The part of `/api/bots` that is about tenants themselves. */
export const tenantsHandlers: Pick<Handlers<typeof botsRouter, Deps>, TenantRoutes> = {
  listTenants: ({ caller, query }, { database }) =>
    withTenantAtOnce(database, administeredBy(caller, query.tenantId), async (tx) =>
      pageOf(await listTenants(tx, query), query, toTenant, ({ tenantId }) => tenantId),
    ),

  createTenant: async ({ caller, body }, deps) => toTenant(await createTenant(deps, caller, body)),

  getTenant: ({ tenantId }, { database }) =>
    withTenantAtOnce(database, [tenantId], async (tx) => {
      const found = await getTenantWithBots(tx, tenantId);
      if (!found) throw notFound('tenant');
      return { ...toTenant(found.tenant), bots: found.bots.map(toBot) };
    }),

  updateTenant: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const tenant = await updateTenant(tx, tenantId, body);
      if (!tenant) throw notFound('tenant');
      return toTenant(tenant);
    }),

  deleteTenant: ({ tenantId }, deps) => deleteTenant(deps, tenantId),
};

const toTenant = (row: TenantRow): Tenant => ({
  tenantId: row.tenantId,
  name: row.name,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
