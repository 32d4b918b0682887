import { z } from 'zod';
import { id } from './common.ts';
import { authenticated, defineRouter } from './contract.ts';

export const tenantRouter = defineRouter({
  basePath: '/api/tenant',
  service: 'tenancy',
  description: "The session's active tenant.",
  routes: {
    selectTenant: authenticated.post('/select', {
      summary: 'Select the active tenant of this session.',
      description: 'Routes without a tenant in their path act in the active tenant.',
      body: z.object({ tenantId: id }),
      response: z.object({ activeTenantId: id }),
      errors: [403],
    }),
  },
});
