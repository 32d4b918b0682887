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

  listTenantConnections: async ({ params: { tenantId }, query }, deps) => {
    await requireTenant(deps, tenantId);
    return await connectionsPage({ tenantId, query }, deps);
  },

  listTenantTickets: async ({ params: { tenantId }, query }, deps) => {
    await requireTenant(deps, tenantId);
    return await ticketsPage({ tenantId, query }, deps);
  },

  listTenantHistory: async ({ params: { tenantId }, query }, deps) => {
    await requireTenant(deps, tenantId);
    return await historyPage({ tenantId, query }, deps);
  },
};
