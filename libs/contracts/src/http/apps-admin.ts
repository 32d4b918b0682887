import { z } from 'zod';
import { appRecordRoutes } from './app-records.ts';
import { appName, placeFields } from './app-spec.ts';
import { appSpecRoutes } from './app-spec-routes.ts';
import { App, AppBinding, AppDetail } from './apps.ts';
import { refineWhere } from './bot-assignment.ts';
import { description, id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';
import { Provider } from './provider.ts';

const access = 'admin';

/** One more is 409. */
export const maxApps = 200;
export const maxBindingsOfBot = 20;

const AppTemplateSummary = z
  .object({
    templateId: z.string(),
    name: z.string(),
    description: z.string(),
    agents: z
      .array(z.object({ name: z.string(), description: z.string() }))
      .describe('The agents that an installation makes.'),
    recordTypes: z.array(z.string()).describe('What its bots collect, by name.'),
    commands: z.array(z.string()).describe('What people may type, without the slash.'),
  })
  .meta({ id: 'AppTemplateSummary', description: 'A template of an app, as a list shows it.' });

const part = z.object({
  key: z.string().describe('By which other parts of the template name it.'),
  name: z.string(),
  description: z.string(),
});

export const AppTemplate = AppTemplateSummary.extend({
  agents: z
    .array(
      part.extend({
        instructions: z.string(),
        tools: z.array(z.string()).describe('Keys of the tools that it gets.'),
      }),
    )
    .describe('The agents that an installation makes.'),
  tools: z
    .array(
      part.extend({
        kind: z.string().describe('What it does: a kind of `GET /api/definitions/tools/manifest`.'),
      }),
    )
    .describe('The tools that an installation makes.'),
  capabilities: z
    .array(part.extend({ instructions: z.string() }))
    .describe('The capabilities that an installation makes.'),
  spec: z
    .record(z.string(), z.unknown())
    .describe('With keys in place of the identifiers of what will be made.'),
}).meta({
  id: 'AppTemplate',
  description: 'A template of an app, with everything that an installation makes.',
});
export type AppTemplate = z.input<typeof AppTemplate>;

export const InstallAppBody = z.object({
  templateId: z.string().max(64),
  name: appName.optional().describe("The template's, unless given."),
  botId: id.optional().describe('The app is bound to it, everywhere.'),
  provider: Provider.default('private-llm').describe('Of its agents.'),
  model: z.string().trim().min(1).max(200).default('default'),
});
export type InstallAppBody = z.output<typeof InstallAppBody>;

export const CreateBindingBody = z.object({
  botId: id,
  where: z
    .object(placeFields)
    .superRefine(refineWhere)
    .default({})
    .describe('The chats of the bot that the app is for. Empty: all of them.'),
  priority: z
    .number()
    .int()
    .min(-1000)
    .max(1000)
    .default(0)
    .describe(
      'Of several apps at a place: the highest is asked first, then the narrowest place, then the newest.',
    ),
});
export type CreateBindingBody = z.output<typeof CreateBindingBody>;

const Roster = z
  .array(
    z.object({
      botId: id,
      name: z.string(),
      enabled: z.boolean(),
      agentIds: z.array(id),
      bindings: z
        .array(AppBinding.extend({ appName: z.string() }))
        .describe('In the order in which they are asked.'),
    }),
  )
  .meta({ id: 'AppRoster', description: 'Every bot of the tenant with the apps that serve it.' });

const templateId = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the name of a template');

export const appsAdminRouter = defineRouter({
  basePath: '/api/admin/apps',
  service: 'agents',
  description:
    'Apps of the active tenant: agents, capabilities, routes and types of records as one spec, which is edited as a draft and ' +
    'published as numbered versions. What is bound to a bot holds from the next turn on.',
  routes: {
    listAppTemplates: route({
      method: 'get',
      path: '/templates',
      access,
      summary: 'List the templates.',
      response: z.array(AppTemplateSummary),
    }),
    getAppTemplate: route({
      method: 'get',
      path: '/templates/:templateId',
      access,
      summary: 'Get a template with all that installing it makes.',
      params: { templateId },
      response: AppTemplate,
    }),
    installApp: route({
      method: 'post',
      path: '/install',
      access,
      summary: 'Install a template: its agents, capabilities and tools, an app, and its first version.',
      description: 'All of it, or nothing. Tools that the tenant has already in the same form are shared.',
      body: InstallAppBody,
      response: AppDetail,
      status: 201,
      errors: [404, 409],
    }),
    getAppRoster: route({
      method: 'get',
      path: '/roster',
      access,
      summary: 'The bots, each with the apps that are bound to it.',
      query: PageQuery,
      response: Roster,
      paged: true,
    }),
    listManagedApps: route({
      method: 'get',
      path: '/',
      access,
      summary: 'List the apps.',
      query: PageQuery,
      response: z.array(App),
      paged: true,
    }),
    createApp: route({
      method: 'post',
      path: '/',
      access,
      summary: 'Create an app with an empty draft.',
      description: `More than ${maxApps} of a tenant are 409.`,
      body: z.object({ name: appName, description: description.default('') }),
      response: AppDetail,
      status: 201,
      errors: [409],
    }),
    getManagedApp: route({
      method: 'get',
      path: '/:appId',
      access,
      summary: 'Get an app with its bindings and the spec that runs.',
      response: AppDetail,
    }),
    updateApp: route({
      method: 'put',
      path: '/:appId',
      access,
      summary: 'Change the name or the description.',
      body: z.object({ name: appName.optional(), description: description.optional() }),
      response: AppDetail,
    }),
    deleteApp: route({
      method: 'delete',
      path: '/:appId',
      access,
      summary: 'Delete an app with its versions and records. Its agents, capabilities and tools stay.',
      description: 'While it is bound to a bot it is 409 that names the bots.',
      errors: [409],
    }),
    listAppBindings: route({
      method: 'get',
      path: '/:appId/bindings',
      access,
      summary: 'List the bindings of an app.',
      query: PageQuery,
      response: z.array(AppBinding),
      paged: true,
    }),
    createAppBinding: route({
      method: 'post',
      path: '/:appId/bindings',
      access,
      summary: 'Bind an app to a bot, or to a part of its chats.',
      description: `The same place again is 409, and so are more than ${maxBindingsOfBot} of a bot.`,
      body: CreateBindingBody,
      response: AppBinding,
      status: 201,
      errors: [409],
    }),
    getAppBinding: route({
      method: 'get',
      path: '/:appId/bindings/:bindingId',
      access,
      summary: 'Get a binding.',
      response: AppBinding,
    }),
    deleteAppBinding: route({
      method: 'delete',
      path: '/:appId/bindings/:bindingId',
      access,
      summary: 'Take an app from a bot.',
    }),
    ...appSpecRoutes,
    ...appRecordRoutes,
  },
});
