import { z } from 'zod';
import { id, moment, tenantFilter } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { Chat } from './interactions-shapes.ts';
import { Role } from './members.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';

const User = z
  .object({
    userId: id,
    idpUserId: z.string(),
    email: z.string().nullable().describe('`null` until the person has come to one of these tenants.'),
    name: z.string().nullable().describe('`null` until the person has come to one of these tenants.'),
    tenants: z
      .array(z.object({ tenantId: id, role: Role }))
      .describe('Those that the caller administers; for an operator all.'),
    createdAt: moment.describe(
      'When the person was first seen; when they were added, until they have come to one of these tenants.',
    ),
  })
  .meta({ id: 'User', description: 'A person with an account, as far as the caller may see them.' });

const count = z.number().int();

/** `users` = `admins` + `members` + `withoutTenant`. */
const UserStats = z
  .object({
    users: count.describe('All people whom the caller may see.'),
    admins: count.describe('People who administer at least one tenant.'),
    members: count.describe('People who belong to a tenant and administer none.'),
    withoutTenant: count.describe('People of no tenant; seen by operators only.'),
    newLast7Days: count.describe('People who were first seen in the last 7 days.'),
  })
  .meta({
    id: 'UserStats',
    description: 'How many people there are: `users` = `admins` + `members` + `withoutTenant`.',
  });

const linkedUser = id
  .optional()
  .describe(
    'The user who has linked this account (`/api/identity-links`), where that is somebody of the tenant.',
  );

/** A chat of any bot within reach, with who wrote in it. */
export const ChatWithPeople = Chat.omit({
  ...{ state: true, blockedReason: true },
  ...{ handling: true, assigneeUserId: true, assigneeName: true, handbackAt: true, handoverReason: true },
  ...{ botName: true, people: true, lastMessage: true },
})
  .extend({
    tenantId: id,
    people: z
      .array(
        z.object({
          personId: id,
          platformUserId: z.string(),
          name: z.string(),
          username: z.string().nullable(),
          userId: linkedUser,
        }),
      )
      .describe('The 10 who wrote last, the last one first.'),
    peopleCount: count,
  })
  .meta({ id: 'ChatWithPeople', description: 'A chat of any bot within reach, with who wrote in it.' });
export type ChatWithPeople = z.output<typeof ChatWithPeople>;

export const ChatQuote = z
  .object({
    quoteId: id,
    tenantId: id,
    botId: id,
    chatId: id,
    platform: PlatformName,
    kind: z
      .enum(['quote', 'reply'])
      .describe('`quote`: the part that the person marked; `reply`: the whole text that they replied to.'),
    text: z.string(),
    author: z
      .object({
        platformUserId: z.string().optional().describe('Absent where the platform hides the account.'),
        name: z.string(),
        isBot: z.boolean().describe('Whether a bot of the platform had written it.'),
      })
      .nullable()
      .describe('Who had written it; `null` where the platform does not tell.'),
    quotedBy: z
      .object({ personId: id, platformUserId: z.string(), name: z.string(), userId: linkedUser })
      .describe('The person who quoted it.'),
    createdAt: moment.describe('When the message that quotes arrived.'),
  })
  .meta({ id: 'ChatQuote', description: 'A text that somebody quoted or replied to in a chat.' });
export type ChatQuote = z.output<typeof ChatQuote>;

const ListUsersQuery = sortedPageQuery(
  { createdAt: 'id', name: 'text', email: 'text' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe(
        'A part of the name or the address, in any case. Where these are not told, nobody is found by them.',
      ),
      role: Role.optional().describe('Who has it in one of the tenants within reach.'),
      ...tenantFilter.shape,
    },
  },
);
export type ListUsersQuery = z.output<typeof ListUsersQuery>;

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
      query: ListUsersQuery,
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
    listChatsWithPeople: route({
      method: 'get',
      path: '/chats',
      access: 'anyAdminOrOperator',
      summary: 'List the chats of all bots within reach, with the people who wrote in them.',
      query: PageQuery.extend(tenantFilter.shape).extend({
        userId: id
          .optional()
          .describe('Chats in which this user wrote, by an account that is linked to them.'),
      }),
      response: z.array(ChatWithPeople),
      paged: true,
      errors: [403, 503],
    }),
    listQuotes: route({
      method: 'get',
      path: '/quotes',
      access: 'anyAdminOrOperator',
      summary: 'List what people quoted in the chats within reach.',
      query: PageQuery.extend(tenantFilter.shape).extend({ botId: id.optional(), chatId: id.optional() }),
      response: z.array(ChatQuote),
      paged: true,
      errors: [403, 503],
    }),
    getUser: route({
      method: 'get',
      path: '/:userId',
      access: 'anyAdminOrOperator',
      summary: 'Get a person. One out of reach is 404, as one who does not exist.',
      response: User,
    }),
    listQuotesOfUser: route({
      method: 'get',
      path: '/:userId/quotes',
      access: 'anyAdminOrOperator',
      summary: 'List what one person quoted.',
      description:
        'The person is a user, whose accounts on the platforms are theirs by identity links, or a person of a platform (the ' +
        '`personId` of a chat or quote). One out of reach is 404, as one who does not exist.',
      query: PageQuery,
      response: z.array(ChatQuote),
      paged: true,
      errors: [503],
    }),
  },
});
