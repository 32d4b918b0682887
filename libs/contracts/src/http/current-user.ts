import { z } from 'zod';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

export const Reach = z
  .object({ tenantId: id, role: z.enum(['admin', 'member']) })
  .meta({ id: 'Reach', description: 'A tenant that the caller is of, with the role there.' });

export const CurrentUser = z
  .object({
    userId: id,
    idpUserId: z.string(),
    email: z.string().nullable(),
    isOperator: z.boolean().describe('Whether the caller is an operator of the platform.'),
    activeTenantId: id
      .nullable()
      .describe('The tenant of requests that name none; `null` where none is selected and none can be told.'),
    tenants: z.array(Reach).describe('The tenants that the caller is of, with the role in each.'),
  })
  .meta({ id: 'CurrentUser', description: 'Who is calling, and which tenants they reach.' });
export type CurrentUser = z.input<typeof CurrentUser>;

export const ReachedTenant = Reach.extend({ name: z.string() }).meta({
  id: 'ReachedTenant',
  description: 'A tenant that the caller is of, with its name.',
});

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
