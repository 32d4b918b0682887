import type { integrationsAdminRouter } from '@botyard/contracts/http/integrations-admin';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import {
  requireTenant,
  setPlatformToolkits,
  setTenantSettings,
  showPlatformToolkits,
  showTenantSettings,
} from '../domain/toolkits.ts';
import { connectionsPage, historyPage, rulesOf, ticketsPage } from './lists.ts';

/** Handlers for operators: toolkits of the platform, and settings of any tenant. */
export const integrationsAdminHandlers: Handlers<typeof integrationsAdminRouter, Deps> = {
  getPlatformToolkits: (_input, deps) => showPlatformToolkits(deps),

  putPlatformToolkits: ({ body: { toolkits } }, deps) => setPlatformToolkits(deps, toolkits),

  getTenantToolSettings: ({ params: { tenantId } }, deps) => showTenantSettings(deps, tenantId),

  putTenantToolSettings: ({ params: { tenantId }, body }, deps) => setTenantSettings(deps, tenantId, body),

  listTenantAccessRules: async ({ params: { tenantId } }, deps) => {
    await requireTenant(deps, tenantId);
    return await rulesOf(deps, tenantId);
  },

  listTenantConnections: ofTenant(connectionsPage),
  listTenantTickets: ofTenant(ticketsPage),
  listTenantHistory: ofTenant(historyPage),
};

/** The same list for an operator, of the tenant in the path. @throws HttpError 404. */
function ofTenant<Query, Result>(
  list: (input: { tenantId: string; query: Query }, deps: Deps) => Promise<Result>,
) {
  return async (
    { params: { tenantId }, query }: { params: { tenantId: string }; query: Query },
    deps: Deps,
  ) => {
    await requireTenant(deps, tenantId);
    return await list({ tenantId, query }, deps);
  };
}
