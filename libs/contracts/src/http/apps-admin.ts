import { z } from 'zod';
import { appRecordRoutes } from './app-records.ts';
import { appName, placeFields } from './app-spec.ts';
import { appSpecRoutes } from './app-spec-routes.ts';
import { App, AppBinding, AppDetail } from './apps.ts';
import { refineWhere } from './bot-assignment.ts';
import { description, id } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { Provider } from './provider.ts';

/** Limit per tenant; exceeding it returns 409. */
export const maxApps = 200;
/** Limit per bot; exceeding it returns 409. */
export const maxBindingsOfBot = 20;

const AppTemplateSummary = z
  .object({
    templateId: z.string(),
    name: z.string(),
    description: z.string(),
    agents: z
      .array(z.object({ name: z.string(), description: z.string() }))
      .describe('The agents that an installation creates.'),
    recordTypes: z.array(z.string()).describe('The names of the record types that its bots collect.'),
    commands: z.array(z.string()).describe('The commands that people can send, without the slash.'),
  })
  .meta({
    id: 'AppTemplateSummary',
    description: 'A template of an app, without the definitions that an installation creates.',
  });

const part = z.object({
  key: z.string().describe('The key by which other parts of the template refer to it.'),
  name: z.string(),
  description: z.string(),
});

export const AppTemplate = AppTemplateSummary.extend({
  agents: z
    .array(
      part.extend({
        instructions: z.string(),
        tools: z.array(z.string()).describe('The keys of the tools that the agent gets.'),
      }),
    )
    .describe('The agents that an installation creates.'),
  tools: z
    .array(
      part.extend({
        kind: z.string().describe('The kind of tool, as listed by `GET /api/definitions/tools/manifest`.'),
      }),
    )
    .describe('The tools that an installation creates.'),
  capabilities: z
    .array(part.extend({ instructions: z.string() }))
    .describe('The capabilities that an installation creates.'),
  spec: z
    .record(z.string(), z.unknown())
    .describe('The spec of the app, with keys in place of the identifiers that an installation assigns.'),
}).meta({
  id: 'AppTemplate',
  description: 'A template of an app, with everything that an installation creates.',
});
export type AppTemplate = z.input<typeof AppTemplate>;

export const InstallAppBody = z.object({
  templateId: z.string().max(64),
  name: appName.optional().describe("The name of the app. Defaults to the template's name."),
  botId: id.optional().describe('The bot to bind the app to, in all its chats.'),
  provider: Provider.default('private-llm').describe('The model provider of the new agents.'),
  model: z.string().trim().min(1).max(200).default('default'),
});
export type InstallAppBody = z.output<typeof InstallAppBody>;

export const CreateBindingBody = z.object({
  botId: id,
  where: z
    .object(placeFields)
    .superRefine(refineWhere)
    .default({})
    .describe('The chats of the bot that the app serves. If empty, it serves all of them.'),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .default(0)
    .describe(
      'Order among several apps that serve the same chat: the highest priority is tried first, then the ' +
        'narrowest set of chats, then the newest binding.',
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
        .describe('The bindings, in the order in which their apps are tried.'),
    }),
  )
  .meta({ id: 'AppRoster', description: 'The bots of the tenant, each with the apps that serve it.' });

const templateId = z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the name of a template');

export const appsAdminRouter = defineRouter({
  basePath: '/api/admin/apps',
  service: 'agents',
  description:
    'Apps of the active tenant. The spec of an app combines agents, capabilities, routes and record types. It ' +
    'is edited as a draft and published as numbered versions. Changes to a bound app take effect from the ' +
    'next turn.',
  routes: {
    listAppTemplates: admin.get('/templates', {
      summary: 'List the app templates.',
      response: z.array(AppTemplateSummary),
    }),
    getAppTemplate: admin.get('/templates/:templateId', {
      summary: 'Get a template with everything that an installation creates.',
      params: { templateId },
      response: AppTemplate,
    }),
    installApp: admin.post('/install', {
      summary:
        'Install a template: create its agents, capabilities and tools, and an app with its first version.',
      description: 'The installation is atomic. Identical tools that the tenant already has are reused.',
      body: InstallAppBody,
      response: AppDetail,
      status: 201,
      errors: [404, 409],
    }),
    getAppRoster: admin.list('/roster', {
      summary: 'List the bots, each with the apps that are bound to it.',
      response: Roster,
    }),
    listManagedApps: admin.list('/', { summary: 'List the apps.', response: z.array(App) }),
    createApp: admin.post('/', {
      summary: 'Create an app with an empty draft.',
      description: `Returns 409 if the tenant already has ${maxApps} apps.`,
      body: z.object({ name: appName, description: description.default('') }),
      response: AppDetail,
      status: 201,
      errors: [409],
    }),
    getManagedApp: admin.get('/:appId', {
      summary: 'Get an app with its bindings and the spec of its running version.',
      response: AppDetail,
    }),
    updateApp: admin.put('/:appId', {
      summary: 'Update the name or the description of an app.',
      body: z.object({ name: appName.optional(), description: description.optional() }),
      response: AppDetail,
    }),
    deleteApp: admin.delete('/:appId', {
      summary: 'Delete an app with its versions and records. Its agents, capabilities and tools are kept.',
      description: 'Returns 409 with the bots in `bots` if the app is bound to any.',
      errors: [409],
    }),
    listAppBindings: admin.list('/:appId/bindings', {
      summary: 'List the bindings of an app.',
      response: z.array(AppBinding),
    }),
    createAppBinding: admin.post('/:appId/bindings', {
      summary: 'Bind an app to a bot, or to a part of its chats.',
      description: `Returns 409 if the app is already bound to the same chats, or if the bot already has ${maxBindingsOfBot} bindings.`,
      body: CreateBindingBody,
      response: AppBinding,
      status: 201,
      errors: [409],
    }),
    getAppBinding: admin.get('/:appId/bindings/:bindingId', {
      summary: 'Get a binding.',
      response: AppBinding,
    }),
    deleteAppBinding: admin.delete('/:appId/bindings/:bindingId', {
      summary: 'Remove the binding of an app to a bot.',
    }),
    ...appSpecRoutes,
    ...appRecordRoutes,
  },
});
