import { z } from 'zod';
import { AppSpec, placeFields } from './app-spec.ts';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

const access = 'member';

export const versionNumber = z.number().int().positive().max(1_000_000_000);

/** Where an app serves: a bot, or a part of its chats. */
export const AppBinding = z
  .object({
    bindingId: id,
    appId: id,
    botId: id,
    where: z.object(placeFields).describe('The chats of the bot that the app is for. Empty: all of them.'),
    priority: z.number().int(),
    createdAt: moment,
  })
  .meta({ id: 'AppBinding', description: 'Where an app serves: a bot, or a part of its chats.' });
export type AppBinding = z.input<typeof AppBinding>;

export const App = z
  .object({
    appId: id,
    name: z.string(),
    description: z.string(),
    templateId: z.string().nullable().describe('What it was installed from.'),
    currentVersion: versionNumber
      .nullable()
      .describe('The version that runs; `null` before the first publishing.'),
    bindingCount: z.number().int(),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'App', description: 'An app: agents, routes and records that serve bots together.' });
export type App = z.input<typeof App>;

export const AppDetail = App.extend({
  bindings: z.array(AppBinding).describe('The newest first, 500 at most.'),
  spec: AppSpec.nullable().describe('The version that runs.'),
}).meta({ id: 'AppDetail', description: 'An app with its bindings and the spec that runs.' });
export type AppDetail = z.input<typeof AppDetail>;

export const appsRouter = defineRouter({
  basePath: '/api/apps',
  service: 'agents',
  description: 'The apps of the active tenant, read-only.',
  routes: {
    listApps: route({
      method: 'get',
      path: '/',
      access,
      summary: 'List the apps.',
      query: PageQuery,
      response: z.array(App),
      paged: true,
    }),
    getApp: route({
      method: 'get',
      path: '/:appId',
      access,
      summary: 'Get an app with its bindings and the spec that runs.',
      response: AppDetail,
    }),
  },
});
