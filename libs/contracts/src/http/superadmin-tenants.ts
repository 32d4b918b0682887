import { Allowance, SetAllowanceBody } from './allowance.ts';
import { defineRouter, route } from './contract.ts';
import { PersonLimits, SetPersonLimitsBody, SetTenantLimitsBody, TenantLimits } from './limits.ts';

const access = 'operator';

export const superadminTenantsRouter = defineRouter({
  basePath: '/api/bots/superadmin/tenants',
  service: 'tenancy',
  description: 'Allowances and limits that operators set for single tenants.',
  reserves: access,
  routes: {
    getAllowance: route({
      method: 'get',
      path: '/:tenantId/allowance',
      access,
      summary: "Get a tenant's allowance for the platform's model keys, and its usage this month.",
      response: Allowance,
      errors: [503],
    }),
    setAllowance: route({
      method: 'put',
      path: '/:tenantId/allowance',
      access,
      summary: "Set a tenant's monthly allowance for the platform's model keys.",
      description:
        "Applies from the next model call on, regardless of earlier usage. `null` restores the default. The tenant's own quota is separate; both must allow a call.",
      body: SetAllowanceBody,
      response: Allowance,
      errors: [503],
    }),
    getLimits: route({
      method: 'get',
      path: '/:tenantId/limits',
      access,
      summary: "Get a tenant's limits on bots, relationships, groups and bytes, with the current amounts.",
      response: TenantLimits,
    }),
    setLimits: route({
      method: 'put',
      path: '/:tenantId/limits',
      access,
      summary: "Set a tenant's limits on bots, relationships, groups and bytes.",
      description:
        'Applies immediately to new items. Existing items are kept, even beyond the limit. `null` restores a default.',
      body: SetTenantLimitsBody,
      response: TenantLimits,
      errors: [503],
    }),
  },
});

export const superadminUsersRouter = defineRouter({
  basePath: '/api/bots/superadmin/users',
  service: 'tenancy',
  description: 'Limits that operators set for single people.',
  reserves: access,
  routes: {
    getPersonLimits: route({
      method: 'get',
      path: '/:userId/limits',
      access,
      summary: 'Get how many tenants a person may create, and has created.',
      response: PersonLimits,
    }),
    setPersonLimits: route({
      method: 'put',
      path: '/:userId/limits',
      access,
      summary: 'Set how many tenants a person may create.',
      body: SetPersonLimitsBody,
      response: PersonLimits,
    }),
  },
});
