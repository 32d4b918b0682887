import { z } from 'zod';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

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
export type CurrentUser = z.input<typeof CurrentUser>;

export const ReachedTenant = Reach.extend({ name: z.string() }).meta({ id: 'ReachedTenant' });

export const currentUserRouter = defineRouter({
  basePath: '/api/current-user',
  service: 'tenancy',
  description: 'The calling principal.',
  routes: {
    getCurrentUser: route({
      method: 'get',
      path: '/',
      access: 'authenticated',
      acceptsTokens: true,
      summary: 'The caller, the tenants they reach and the one that is active in this session.',
      description:
        'Of a program with an API token: `userId` is the `tokenId`, `idpUserId` is `token:<tokenId>`, and there is one tenant.',
      response: CurrentUser,
    }),
    syncCurrentUser: route({
      method: 'post',
      path: '/sync',
      access: 'authenticated',
      summary: 'Bring the caller and their memberships up to date with the identity provider.',
      description:
        'Where no identity provider is configured, or it does not know the caller, nothing changes.',
      response: CurrentUser,
      errors: [503],
    }),
    listReachedTenants: route({
      method: 'get',
      path: '/tenants',
      access: 'authenticated',
      acceptsTokens: true,
      summary:
        'List the tenants that the caller belongs to; for an operator too, who reaches the others without belonging to them.',
      query: PageQuery,
      response: z.array(ReachedTenant),
      paged: true,
    }),
  },
});
