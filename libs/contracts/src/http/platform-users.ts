import { z } from 'zod';
import { Refusal } from '../events/tenancy.ts';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { pageQueryBy } from './page.ts';
import { PlatformName } from './platform.ts';

/** Somebody who wrote to a bot of the tenant, by one account. */
export const PlatformPerson = z.object({
  personId: id,
  platform: PlatformName,
  platformUserId: z.string(),
  name: z.string(),
  username: z.string().nullable(),
  chats: z.number().int().describe('Chats in which the person wrote.'),
  firstSeenAt: moment,
  lastSeenAt: moment,
});
export type PlatformPerson = z.output<typeof PlatformPerson>;

export const PlatformUser = PlatformPerson.extend({
  userId: id.nullable().describe('Who has linked this account, where that is somebody of the tenant.'),
  isMuted: z.boolean().describe('For at least one bot of the tenant.'),
  privateChatGrants: z.number().int().describe('Bots that the person may write to in private by a grant.'),
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
          .describe('Whether the bot listens to the person, by mutes, grants and policies.'),
        refusal: Refusal.nullable().describe('Why the bot does not listen; `null` when it does.'),
      }),
    )
    .describe(
      'Which bots would listen to the person in private at this moment: asked of the rules that messages are held to. The 100 newest.',
    ),
}).meta({ id: 'PlatformUserRights', description: 'A person of a platform, with which bots listen to them.' });
export type PlatformUserRights = z.input<typeof PlatformUserRights>;

/** First seen and person: a person's place in the list, which no later message changes. */
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
    listPlatformUsers: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'List who has written to the bots, who was seen first last.',
      query: pageQueryBy(place).extend({
        platform: PlatformName.optional(),
        botId: id.optional().describe('Who wrote to this bot.'),
        userId: id.optional().describe('The accounts of this user of the tenant.'),
        platformUserId: z.string().max(254).optional(),
        search: z
          .string()
          .trim()
          .min(1)
          .max(100)
          .optional()
          .describe('A part of the name or username, in any case.'),
      }),
      response: z.array(PlatformUser),
      paged: true,
      errors: [503],
    }),
    getPlatformUser: route({
      method: 'get',
      path: '/:personId',
      access: 'admin',
      summary: 'Get one of them, with which bots listen to them.',
      response: PlatformUserRights,
      errors: [503],
    }),
  },
});
