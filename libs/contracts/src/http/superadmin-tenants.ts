import { Allowance, SetAllowanceBody } from './allowance.ts';
import { defineRouter, route } from './contract.ts';
import { PersonLimits, SetPersonLimitsBody, SetTenantLimitsBody, TenantLimits } from './limits.ts';

const access = 'operator';

export const superadminTenantsRouter = defineRouter({
  basePath: '/api/bots/superadmin/tenants',
  service: 'tenancy',
  description: 'What operators grant single tenants.',
  reserves: access,
  routes: {
    getAllowance: route({
      method: 'get',
      path: '/:tenantId/allowance',
      access,
      summary: "What a tenant may use on the platform's model keys, and what it has used this month.",
      response: Allowance,
      errors: [503],
    }),
    setAllowance: route({
      method: 'put',
      path: '/:tenantId/allowance',
      access,
      summary: "Set what a tenant may use on the platform's model keys in a month.",
      description:
        'Holds from the next model call on, whatever was used before; `null` brings the default back. The tenant’s own quota is another matter: both have to allow a call.',
      body: SetAllowanceBody,
      response: Allowance,
      errors: [503],
    }),
    getLimits: route({
      method: 'get',
      path: '/:tenantId/limits',
      access,
      summary: 'How many bots, relationships, groups and bytes a tenant may have, and has.',
      response: TenantLimits,
    }),
    setLimits: route({
      method: 'put',
      path: '/:tenantId/limits',
      access,
      summary: 'Set how many bots, relationships, groups and bytes a tenant may have.',
      description:
        'Holds at once for what is made later; what is there stays, also where it is more. `null` brings a default back.',
      body: SetTenantLimitsBody,
      response: TenantLimits,
      errors: [503],
    }),
  },
});

export const superadminUsersRouter = defineRouter({
  basePath: '/api/bots/superadmin/users',
  service: 'tenancy',
  description: 'What operators grant single people.',
  reserves: access,
  routes: {
    getPersonLimits: route({
      method: 'get',
      path: '/:userId/limits',
      access,
      summary: 'How many tenants a person may make, and has made.',
      response: PersonLimits,
    }),
    setPersonLimits: route({
      method: 'put',
      path: '/:userId/limits',
      access,
      summary: 'Set how many tenants a person may make.',
      body: SetPersonLimitsBody,
      response: PersonLimits,
    }),
  },
});
