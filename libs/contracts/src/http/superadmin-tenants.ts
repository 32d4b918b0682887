import { Allowance, SetAllowanceBody } from './allowance.ts';
import { defineRouter, operator } from './contract.ts';
import { PersonLimits, SetPersonLimitsBody, SetTenantLimitsBody, TenantLimits } from './limits.ts';

export const superadminTenantsRouter = defineRouter({
  basePath: '/api/bots/superadmin/tenants',
  service: 'tenancy',
  description: 'Allowances and limits that operators set for single tenants.',
  reserves: 'operator',
  routes: {
    getAllowance: operator.get('/:tenantId/allowance', {
      summary: "Get a tenant's allowance for the platform's model keys, and its usage this month.",
      response: Allowance,
      errors: [503],
    }),
    setAllowance: operator.put('/:tenantId/allowance', {
      summary: "Set a tenant's monthly allowance for the platform's model keys.",
      description:
        "Applies from the next model call on, regardless of earlier usage. `null` restores the default. The tenant's own quota is separate; both must allow a call.",
      body: SetAllowanceBody,
      response: Allowance,
      errors: [503],
    }),
    getLimits: operator.get('/:tenantId/limits', {
      summary: "Get a tenant's limits on bots, relationships, groups and bytes, with the current amounts.",
      response: TenantLimits,
    }),
    setLimits: operator.put('/:tenantId/limits', {
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
  reserves: 'operator',
  routes: {
    getPersonLimits: operator.get('/:userId/limits', {
      summary: 'Get how many tenants a person may create, and has created.',
      response: PersonLimits,
    }),
    setPersonLimits: operator.put('/:userId/limits', {
      summary: 'Set how many tenants a person may create.',
      body: SetPersonLimitsBody,
      response: PersonLimits,
    }),
  },
});
