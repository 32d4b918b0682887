import { z } from 'zod';
import { defineRouter, route } from '../http/contract.ts';
import { id } from './common.ts';

export const Reach = z.object({ tenantId: id, role: z.enum(['admin', 'member']) }).meta({ id: 'Reach' });

export const CurrentUser = z
  .object({
    userId: id,
    idpUserId: z.string(),
    email: z.string().nullable(),
    isOperator: z.boolean(),
    activeTenantId: id.nullable(),
    tenants: z.array(Reach),
  })
  .meta({ id: 'CurrentUser' });

export const currentUserRouter = defineRouter({
  basePath: '/api/current-user',
  service: 'tenancy',
  description: 'The calling principal.',
  routes: {
    getCurrentUser: route({
      method: 'get',
      path: '/',
      access: 'authenticated',
      summary: 'The caller, the tenants they reach and the one that is active in this session.',
      response: CurrentUser,
    }),
  },
});
