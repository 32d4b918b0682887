import { z } from 'zod';
import { id, moment, tenantFilter } from './common.ts';
import { anyAdminOrOperator, defineRouter } from './contract.ts';
import { Chat } from './interactions-shapes.ts';
import { Role } from './members.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';

const User = z
  .object({
    userId: id,
    idpUserId: z.string(),
    email: z.string().nullable().describe('`null` until the person has visited one of these tenants.'),
    name: z.string().nullable().describe('`null` until the person has visited one of these tenants.'),
    tenants: z
      .array(z.object({ tenantId: id, role: Role }))
      .describe(
        "The person's tenants that the caller administers. For an operator: all of the person's tenants.",
      ),
    createdAt: moment.describe(
      'When the person was first seen. Until they have visited one of these tenants: when they were added.',
    ),
  })
  .meta({ id: 'User', description: 'A person with an account, as far as the caller may see them.' });

const count = z.int();

/** `users` = `admins` + `members` + `withoutTenant`. */
const UserStats = z
  .object({
    users: count.describe('People whom the caller may see.'),
    admins: count.describe('People who administer at least one tenant.'),
    members: count.describe('People who belong to a tenant and administer none.'),
    withoutTenant: count.describe('People who belong to no tenant. Visible to operators only.'),
    newLast7Days: count.describe('People who were first seen in the last 7 days.'),
  })
  .meta({
    id: 'UserStats',
    description: 'Counts of people: `users` = `admins` + `members` + `withoutTenant`.',
  });

const linkedUser = id
  .optional()
  .describe(
    'The user who has linked this account (`/api/identity-links`). Omitted if no user of the tenant has.',
  );

/** A chat of a bot within reach, with the people who wrote in it. */
export const ChatWithPeople = Chat.omit({
  hit: true,
  state: true,
  snoozedUntil: true,
  labels: true,
  isUnread: true,
  isBlocked: true,
  blockedReason: true,
  handling: true,
  assigneeUserId: true,
  assigneeName: true,
  handbackAt: true,
  handoverReason: true,
  outcomes: true,
  botName: true,
  people: true,
  lastMessage: true,
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
      .describe('The last 10 people who wrote, most recent first.'),
    peopleCount: count.describe('The number of people who have written in it.'),
  })
  .meta({
    id: 'ChatWithPeople',
    description: 'A chat of a bot within reach, with the people who wrote in it.',
  });
export type ChatWithPeople = z.output<typeof ChatWithPeople>;

export const ChatQuote = z
  .object({
    quoteId: id.describe('The identifier of the quote.'),
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
        platformUserId: z
          .string()
          .optional()
          .describe("The author's account. Omitted if the platform hides it."),
        name: z.string(),
        isBot: z.boolean().describe('Whether the author is a bot on the platform.'),
      })
      .nullable()
      .describe('The author of the quoted text. `null` if the platform does not report it.'),
    quotedBy: z
      .object({ personId: id, platformUserId: z.string(), name: z.string(), userId: linkedUser })
      .describe('The person who quoted the text.'),
    createdAt: moment.describe('When the quoting message arrived.'),
  })
  .meta({ id: 'ChatQuote', description: 'A text that a person quoted or replied to in a chat.' });
export type ChatQuote = z.output<typeof ChatQuote>;

const ListUsersQuery = sortedPageQuery(
  { createdAt: 'id', name: 'text', email: 'text' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe(
        'Part of the name or the address. Case-insensitive. People whose name and address are not shown are not found.',
      ),
      role: Role.optional().describe('Only people with this role in one of the tenants within reach.'),
      ...tenantFilter.shape,
    },
  },
);
export type ListUsersQuery = z.output<typeof ListUsersQuery>;

export const usersRouter = defineRouter({
  basePath: '/api/users',
  service: 'tenancy',
  description: 'People with an account. An admin sees the people of their own tenants, an operator sees all.',
  routes: {
    listUsers: anyAdminOrOperator.list('/', {
      summary: 'List people.',
      query: ListUsersQuery,
      response: z.array(User),
      errors: [403],
    }),
    getUserStats: anyAdminOrOperator.get('/stats', {
      summary: 'Count the people by role.',
      query: tenantFilter,
      response: UserStats,
      errors: [403],
    }),
    listChatsWithPeople: anyAdminOrOperator.list('/chats', {
      summary: 'List the chats of all bots within reach, with the people who wrote in them.',
      query: PageQuery.extend(tenantFilter.shape).extend({
        userId: id.optional().describe('Only chats in which this user wrote with a linked account.'),
      }),
      response: z.array(ChatWithPeople),
      errors: [403, 503],
    }),
    listQuotes: anyAdminOrOperator.list('/quotes', {
      summary: 'List the texts that people quoted in the chats within reach.',
      query: PageQuery.extend(tenantFilter.shape).extend({ botId: id.optional(), chatId: id.optional() }),
      response: z.array(ChatQuote),
      errors: [403, 503],
    }),
    getUser: anyAdminOrOperator.get('/:userId', {
      summary: 'Get a person.',
      description: 'Returns 404 for a person out of reach, as for one who does not exist.',
      response: User,
    }),
    listQuotesOfUser: anyAdminOrOperator.list('/:userId/quotes', {
      summary: 'List the texts that one person quoted.',
      description:
        'The person is a user with the accounts that identity links assign to them, or a person of a platform (the ' +
        '`personId` of a chat or quote). Returns 404 for a person out of reach, as for one who does not exist.',
      response: z.array(ChatQuote),
      errors: [503],
    }),
  },
});
