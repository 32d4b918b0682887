import { z } from 'zod';
import { AppSpec } from './app-spec.ts';
import { id } from './common.ts';
import { defineRouter, operator } from './contract.ts';
import { PageQuery } from './page.ts';

export const SpecRouteRow = z
  .object({
    tenantId: id,
    botId: id,
    appName: z.string(),
    assignmentIds: z
      .array(id)
      .describe('The assignments to convert. They are deleted once they have become routes.'),
    spec: AppSpec.describe('The specification of the app that is created for the bot.'),
    blocked: z.string().nullable().describe('Why the bot is not converted. `null` if nothing prevents it.'),
  })
  .meta({
    id: 'SpecRouteRow',
    description: "The conversion of one bot's assignments into routes of an app.",
  });
export type SpecRouteRow = z.input<typeof SpecRouteRow>;

const maxBots = 50;

export const specMigrationRouter = defineRouter({
  basePath: '/api/migrations/spec',
  service: 'agents',
  description:
    'Converts the assignments of `/api/bot-assignment` into routes of apps: one app for each bot, bound to it before all others. The same agents answer as before.',
  routes: {
    previewSpecRoutes: operator.list('/route-preview', {
      summary: 'List the conversions that an execution would make now, bot by bot.',
      query: PageQuery.extend({ limit: z.coerce.number().int().min(1).max(maxBots).default(maxBots) }),
      response: z.array(SpecRouteRow),
    }),
    executeSpecRoutes: operator.post('/route-execute', {
      summary: 'Convert the assignments of the first bots in the preview.',
      description:
        'Each bot is converted completely or not at all. Executing again continues with the remaining bots; it changes nothing if none are left.',
      body: z.object({
        limit: z
          .int()
          .min(1)
          .max(maxBots)
          .default(maxBots)
          .describe('The maximum number of bots to convert.'),
      }),
      response: z.object({
        converted: z
          .array(SpecRouteRow.extend({ appId: id }))
          .describe('The converted bots, with the apps that were created.'),
        blocked: z.array(SpecRouteRow).describe(`The first ${maxBots} bots that were skipped.`),
        remaining: z.int().describe('Number of bots that remain, not counting blocked ones.'),
      }),
    }),
  },
});
