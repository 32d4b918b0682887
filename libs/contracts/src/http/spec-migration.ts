import { z } from 'zod';
import { AppSpec } from './app-spec.ts';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

const access = 'operator';

export const SpecRouteRow = z
  .object({
    tenantId: id,
    botId: id,
    appName: z.string(),
    assignmentIds: z.array(id).describe('They are deleted when they have become routes.'),
    spec: AppSpec.describe('Of the app that is made for the bot.'),
    blocked: z.string().nullable().describe('Why nothing of it is done.'),
  })
  .meta({
    id: 'SpecRouteRow',
    description: "What becomes of one bot's assignments when they are made routes of an app.",
  });
export type SpecRouteRow = z.input<typeof SpecRouteRow>;

const maxBots = 50;

export const specMigrationRouter = defineRouter({
  basePath: '/api/migrations/spec',
  service: 'agents',
  description:
    'Makes of the assignments of `/api/bot-assignment` routes of apps: an app for each bot, bound to it before all others. Who answers stays the same.',
  reserves: access,
  routes: {
    previewSpecRoutes: route({
      method: 'get',
      path: '/route-preview',
      access,
      summary: 'What executing would do now, bot by bot.',
      query: PageQuery.extend({ limit: z.coerce.number().int().min(1).max(maxBots).default(maxBots) }),
      response: z.array(SpecRouteRow),
      paged: true,
    }),
    executeSpecRoutes: route({
      method: 'post',
      path: '/route-execute',
      access,
      summary: 'Do it, for so many bots of the preview, the first ones first.',
      description:
        'Each bot is done whole or not at all. Executing again goes on with the rest; with nothing left it changes nothing.',
      body: z.object({
        limit: z
          .number()
          .int()
          .min(1)
          .max(maxBots)
          .default(maxBots)
          .describe('For how many bots it is done at most.'),
      }),
      response: z.object({
        converted: z
          .array(SpecRouteRow.extend({ appId: id }))
          .describe('What was done, with the apps that were made.'),
        blocked: z.array(SpecRouteRow).describe(`Passed over; the first ${maxBots}.`),
        remaining: z.number().int().describe('Bots that are left, without those that are blocked.'),
      }),
    }),
  },
});
