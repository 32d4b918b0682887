import { z } from 'zod';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';

export const tenantRouter = defineRouter({
  basePath: '/api/tenant',
  service: 'tenancy',
  description: "The session's active tenant.",
  routes: {
    selectTenant: route({
      method: 'post',
      path: '/select',
      access: 'authenticated',
      summary: 'Choose the tenant in which routes without a tenant in their path act, for this session.',
      body: z.object({ tenantId: id }),
      response: z.object({ activeTenantId: id }),
      errors: [403],
    }),
  },
});
