import { z } from 'zod';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { EventStream } from './event-stream.ts';
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

/** Data of each event of `GET /api/current-user/changes`. */
export const currentUserEvents = { 'current_user.changed': CurrentUser } as const;

const ReachedTenant = Reach.extend({ name: z.string() }).meta({
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
    listenToCurrentUser: route({
      method: 'get',
      path: '/changes',
      access: 'authenticated',
      summary: 'Listen to what the caller reaches.',
      description:
        'Server-sent events (`text/event-stream`), for people: read them with `fetch`, which can send a token. ' +
        'The event `current_user.changed` has the data of `GET /api/current-user`. The first comes at once; then one comes whenever ' +
        'a tenant or a role was given or taken, within a second. A tenant that somebody newly reaches by a relationship alone is told with the ' +
        'next change or the next stream. There is nothing to continue: a new stream begins with the whole. ' +
        'A comment comes every 15 seconds. The stream ends after 15 minutes, and as soon as nobody is known by the token any more: ' +
        'connect again. A caller may hold 20 streams; 429 beyond that.',
      response: EventStream,
      errors: [429, 503],
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
