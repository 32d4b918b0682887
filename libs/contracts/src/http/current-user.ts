import { z } from 'zod';
import { id } from './common.ts';
import { authenticated, defineRouter } from './contract.ts';
import { EventStream } from './event-stream.ts';

const Reach = z
  .object({ tenantId: id, role: z.enum(['admin', 'member']) })
  .meta({ id: 'Reach', description: 'A tenant that the caller belongs to, with their role.' });

export const CurrentUser = z
  .object({
    userId: id,
    idpUserId: z.string(),
    email: z.string().nullable(),
    isOperator: z.boolean().describe('Whether the caller is an operator of the platform.'),
    activeTenantId: id
      .nullable()
      .describe(
        'The tenant used by requests that do not name one; `null` if none is selected and none can be inferred.',
      ),
    responds: z
      .array(z.object({ botId: id, tenantId: id }))
      .optional()
      .describe('The bots whose chats the caller may answer as a responder; left out if there are none.'),
    tenants: z.array(Reach).describe('The tenants that the caller belongs to, with their role in each.'),
  })
  .meta({ id: 'CurrentUser', description: 'The caller and the tenants that they can access.' });
export type CurrentUser = z.input<typeof CurrentUser>;

/** Data of each event of `GET /api/current-user/changes`. */
export const currentUserEvents = { 'current_user.changed': CurrentUser } as const;

const ReachedTenant = Reach.extend({ name: z.string() }).meta({
  id: 'ReachedTenant',
  description: 'A tenant that the caller belongs to, with its name.',
});

export const currentUserRouter = defineRouter({
  basePath: '/api/current-user',
  service: 'tenancy',
  description: 'The caller.',
  routes: {
    getCurrentUser: authenticated.get('/', {
      summary: 'Get the caller, their tenants and the active tenant of the session.',
      response: CurrentUser,
    }),
    listenToCurrentUser: authenticated.get('/changes', {
      summary: "Stream changes of the caller's tenants and roles.",
      description:
        'Server-sent events (`text/event-stream`). Read them with `fetch`, which can send a ' +
        'token. The event `current_user.changed` carries the data of `GET /api/current-user`. The first event is ' +
        'sent immediately. Further events follow within a second of any tenant or role being granted or revoked. ' +
        'A tenant that becomes accessible only through a relationship is reported with the next change or the ' +
        'next stream. A stream cannot be resumed; each new one starts with the complete data. A comment is sent ' +
        'every 15 seconds. The stream ends after 15 minutes, or as soon as the token no longer identifies ' +
        'anybody; clients should then reconnect. Returns 503 if the caller already has 20 open streams.',
      response: EventStream,
      errors: [503],
    }),
    syncCurrentUser: authenticated.post('/sync', {
      summary: 'Synchronize the caller and their memberships with the identity provider.',
      description:
        'Changes nothing if no identity provider is configured, or if it does not know the caller.',
      response: CurrentUser,
      errors: [503],
    }),
    listReachedTenants: authenticated.list('/tenants', {
      summary:
        'List the tenants that the caller belongs to. Other tenants that an operator can access are not included.',
      response: z.array(ReachedTenant),
    }),
  },
});
