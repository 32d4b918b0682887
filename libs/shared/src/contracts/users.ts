import { z } from 'zod';
import { defineRouter, route } from '../http/contract.ts';
import { PageQuery } from '../http/page.ts';
import { id, moment, tenantFilter } from './common.ts';
import { Role } from './members.ts';

export const User = z
  .object({
    userId: id,
    idpUserId: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    tenants: z
      .array(z.object({ tenantId: id, role: Role }))
      .describe('Those that the caller administers; for an operator all.'),
    createdAt: moment.describe('When the person was first seen.'),
  })
  .meta({ id: 'User' });
export type User = z.input<typeof User>;

const count = z.number().int();

/** `users` = `admins` + `members` + `withoutTenant`. */
export const UserStats = z
  .object({
    users: count,
    admins: count.describe('People who administer at least one tenant.'),
    members: count.describe('People who belong to a tenant and administer none.'),
    withoutTenant: count.describe('People of no tenant; seen by operators only.'),
    newLast7Days: count.describe('People who were first seen in the last 7 days.'),
  })
  .meta({ id: 'UserStats' });
export type UserStats = z.input<typeof UserStats>;

export const usersRouter = defineRouter({
  basePath: '/api/users',
  service: 'tenancy',
  description: 'People: an admin sees those of the own tenants, an operator all.',
  routes: {
    listUsers: route({
      method: 'get',
      path: '/',
      access: 'anyAdminOrOperator',
      summary: 'List people.',
      query: PageQuery.extend(tenantFilter.shape),
      response: z.array(User),
      paged: true,
      errors: [403],
    }),
    getUserStats: route({
      method: 'get',
      path: '/stats',
      access: 'anyAdminOrOperator',
      summary: 'How many people there are, by what they are.',
      query: tenantFilter,
      response: UserStats,
      errors: [403],
    }),
    getUser: route({
      method: 'get',
      path: '/:userId',
      access: 'anyAdminOrOperator',
      summary: 'Get a person. One out of reach is 404, as one who does not exist.',
      response: User,
    }),
  },
});
