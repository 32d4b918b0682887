import { z } from 'zod';
import { AppSpec, placeFields } from './app-spec.ts';
import { id, moment } from './common.ts';
import { defineRouter, member } from './contract.ts';

export const versionNumber = z.int().positive().max(1_000_000_000);

export const AppBinding = z
  .object({
    bindingId: id,
    appId: id,
    botId: id,
    where: z
      .object(placeFields)
      .describe('The chats of the bot that the app serves. If empty, it serves all of them.'),
    priority: z.int(),
    createdAt: moment,
  })
  .meta({ id: 'AppBinding', description: 'The binding of an app to a bot, or to some of its chats.' });
export type AppBinding = z.input<typeof AppBinding>;

export const App = z
  .object({
    appId: id,
    name: z.string(),
    description: z.string(),
    templateId: z
      .string()
      .nullable()
      .describe('The template from which the app was installed; `null` if it was created without one.'),
    currentVersion: versionNumber
      .nullable()
      .describe('The running version; `null` until the app is first published.'),
    bindingCount: z.int(),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'App', description: 'An app: agents, routes and records that serve bots together.' });
export type App = z.input<typeof App>;

export const AppDetail = App.extend({
  bindings: z.array(AppBinding).describe('The bindings, newest first, at most 500.'),
  spec: AppSpec.nullable().describe(
    'The spec of the running version; `null` until the app is first published.',
  ),
}).meta({ id: 'AppDetail', description: 'An app with its bindings and the spec of its running version.' });
export type AppDetail = z.input<typeof AppDetail>;

export const appsRouter = defineRouter({
  basePath: '/api/apps',
  service: 'agents',
  description: 'The apps of the active tenant, read-only.',
  routes: {
    listApps: member.list('/', { summary: 'List the apps.', response: z.array(App) }),
    getApp: member.get('/:appId', {
      summary: 'Get an app with its bindings and the spec of its running version.',
      response: AppDetail,
    }),
  },
});
