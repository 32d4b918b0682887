import type { botsRouter } from '@botyard/contracts/http/bots';
import { withMoments } from '@botyard/contracts/http/common';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { Handlers } from '@botyard/shared/http/mount';
import { toBot } from '../../bots/routes/bots.ts';
import { administeredBy } from '../../people/routes/administered.ts';
import { listTenants, updateTenant } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import { deleteTenant } from '../domain/delete-tenant.ts';
import { createTenant } from '../domain/tenants.ts';
import { getTenantWithBots } from '../store/tenant-with-bots.ts';

type TenantRoutes = 'listTenants' | 'createTenant' | 'getTenant' | 'updateTenant' | 'deleteTenant';

/** The part of `/api/bots` that is about tenants themselves. */
export const tenantsHandlers: Pick<Handlers<typeof botsRouter, Deps>, TenantRoutes> = {
  listTenants: ({ caller, query }, { database }) =>
    withTenant(
      database,
      administeredBy(caller, query.tenantId),
      async (tx) => pageOf(await listTenants(tx, query), query, withMoments, ({ tenantId }) => tenantId),
      { isOneRoundTrip: true },
    ),

  createTenant: async ({ caller, body }, deps) => withMoments(await createTenant(deps, caller, body)),

  getTenant: ({ tenantId }, { database }) =>
    withTenant(
      database,
      [tenantId],
      async (tx) => {
        const { tenant, bots } = found(await getTenantWithBots(tx, tenantId), 'tenant');
        return { ...withMoments(tenant), bots: bots.map(toBot) };
      },
      { isOneRoundTrip: true },
    ),

  updateTenant: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      withMoments(found(await updateTenant(tx, tenantId, body), 'tenant')),
    ),

  deleteTenant: ({ tenantId }, deps) => deleteTenant(deps, tenantId),
};
