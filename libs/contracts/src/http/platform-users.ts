import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { pageQueryBy } from './page.ts';
import { PlatformName } from './platform.ts';

/** A person who wrote to a bot of the tenant, identified by one account. */
export const PlatformPerson = z.object({
  personId: id,
  platform: PlatformName,
  platformUserId: z.string(),
  name: z.string(),
  username: z.string().nullable(),
  chats: z.int().describe('Chats in which the person wrote.'),
  firstSeenAt: moment,
  lastSeenAt: moment,
});
export type PlatformPerson = z.output<typeof PlatformPerson>;

export const PlatformUser = PlatformPerson.extend({
  userId: id
    .nullable()
    .describe('The user who has linked this account. `null` if no user of the tenant has.'),
  isMuted: z.boolean().describe('Whether the person is muted for at least one bot of the tenant.'),
  privateChatGrants: z.int().describe('Number of bots to which a grant lets the person write in private.'),
}).meta({
  id: 'PlatformUser',
  description: 'A person who has written to a bot of the tenant, by their account on a platform.',
});
export type PlatformUser = z.input<typeof PlatformUser>;

export const PlatformUserRights = PlatformUser.extend({
  bots: z
    .array(
      z.object({
        botId: id,
        name: z.string(),
        isHeard: z
          .boolean()
          .describe('Whether the bot accepts messages of the person, by mutes, grants and policies.'),
        refusal: Refusal.nullable().describe('Why the bot ignores the person. `null` if it does not.'),
      }),
    )
    .describe(
      'The 100 newest bots, and whether each would accept a private message of the person now, by the rules for messages.',
    ),
}).meta({
  id: 'PlatformUserRights',
  description: 'A person of a platform, and which bots accept their messages.',
});
export type PlatformUserRights = z.input<typeof PlatformUserRights>;

/** First-seen time and identifier of a person. Later messages don't change this position in the list. */
const place = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z\/[0-9a-f-]{36}$/)
  .refine(
    (text) => !Number.isNaN(Date.parse(text.slice(0, 24))) && z.uuid().safeParse(text.slice(25)).success,
  );

export const platformUsersRouter = defineRouter({
  basePath: '/api/platform-users',
  service: 'tenancy',
  description: 'People who write to the bots of the active tenant, by their accounts on the platforms.',
  routes: {
    listPlatformUsers: admin.list('/', {
      summary: 'List the people who have written to the bots, most recently first seen first.',
      query: pageQueryBy(place).extend({
        platform: PlatformName.optional(),
        botId: id.optional().describe('Only people who wrote to this bot.'),
        userId: id.optional().describe('Only accounts of this user of the tenant.'),
        platformUserId: z.string().max(254).optional(),
        search: z
          .string()
          .trim()
          .min(1)
          .max(100)
          .optional()
          .describe('Part of the name or username. Case-insensitive.'),
      }),
      response: z.array(PlatformUser),
      errors: [503],
    }),
    getPlatformUser: admin.get('/:personId', {
      summary: 'Get a person, and which bots accept their messages.',
      response: PlatformUserRights,
      errors: [503],
    }),
  },
});
