import { z } from 'zod';
import { AvailableAgent } from './agents.ts';
import { Bot, CreateBotBody, UpdateBotBody } from './bot.ts';
import { CreateIntegrationBody, Integration, UpdateIntegrationBody } from './bot-integrations.ts';
import { BotStats, BotStatsQuery } from './bot-stats.ts';
import { BotSpeech } from './bot-words.ts';
import { id, moment, name, tenantFilter } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { invitationRoutes } from './invitations.ts';
import { AddMemberBody, ChangeMemberBody, Member } from './members.ts';
import { PageQuery } from './page.ts';
import { SearchText } from './sorted-page.ts';

export const Tenant = z
  .object({ tenantId: id, name: z.string(), createdAt: moment, updatedAt: moment })
  .meta({ id: 'Tenant', description: 'A customer: bots, people, keys and all else belong to one.' });
export type Tenant = z.input<typeof Tenant>;

const TenantWithBots = Tenant.extend({ bots: z.array(Bot) }).meta({
  id: 'TenantWithBots',
  description: 'A tenant with its bots.',
});

const CreateTenantBody = z.object({
  name,
  initialAdminIdpUserId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Who becomes the first admin; by default the caller.'),
});
const UpdateTenantBody = z.object({ name: name.optional() });

export const botsRouter = defineRouter({
  basePath: '/api/bots',
  service: 'tenancy',
  description: 'Tenants, their bots, and the integrations that connect a bot to a platform.',
  routes: {
    listBots: route({
      method: 'get',
      path: '/',
      access: 'anyAdmin',
      summary: 'List the bots of every tenant that the caller administers.',
      query: PageQuery.extend(tenantFilter.shape),
      response: z.array(Bot),
      paged: true,
    }),
    listTenants: route({
      method: 'get',
      path: '/tenants',
      access: 'anyAdmin',
      summary: 'List the tenants that the caller administers.',
      query: PageQuery.extend(tenantFilter.shape),
      response: z.array(Tenant),
      paged: true,
    }),
    createTenant: route({
      method: 'post',
      path: '/tenants',
      access: 'authenticated',
      summary: 'Create a tenant together with its first admin.',
      body: CreateTenantBody,
      response: Tenant,
      status: 201,
      errors: [404],
    }),
    getTenant: route({
      method: 'get',
      path: '/tenants/:tenantId',
      access: 'member',
      summary: 'Get a tenant with its bots.',
      response: TenantWithBots,
    }),
    updateTenant: route({
      method: 'put',
      path: '/tenants/:tenantId',
      access: 'admin',
      summary: 'Update a tenant.',
      body: UpdateTenantBody,
      response: Tenant,
    }),
    deleteTenant: route({
      method: 'delete',
      path: '/tenants/:tenantId',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Delete a tenant with everything that belongs to it.',
      description:
        'It is gone with this answer, for everybody. Its webhooks are removed from the platforms, and what the other ' +
        'services keep of it is deleted, right after.',
    }),
    listMembers: route({
      method: 'get',
      path: '/tenants/:tenantId/members',
      access: 'admin',
      summary: 'List the people of a tenant, with their roles.',
      query: PageQuery.extend({
        q: SearchText.optional().describe(
          'A part of the name or the address, in any case. Where these are not told, nobody is found by them.',
        ),
      }),
      response: z.array(Member),
      paged: true,
    }),
    addMember: route({
      method: 'post',
      path: '/tenants/:tenantId/members',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Make a person a member or an admin. One who is of the tenant already is 409.',
      body: AddMemberBody,
      response: Member,
      status: 201,
      errors: [409, 503],
    }),
    changeMember: route({
      method: 'put',
      path: '/tenants/:tenantId/members/:userId',
      access: 'admin',
      acceptsTokens: false,
      summary: "Change a person's role. Demoting the last admin is 409.",
      body: ChangeMemberBody,
      response: Member,
      errors: [409],
    }),
    removeMember: route({
      method: 'delete',
      path: '/tenants/:tenantId/members/:userId',
      access: 'admin',
      acceptsTokens: false,
      summary: 'Take a person out of a tenant. Removing the last admin is 409.',
      errors: [409],
    }),
    ...invitationRoutes,
    listAvailableAgents: route({
      method: 'get',
      path: '/available-agents',
      access: 'anyAdmin',
      summary: 'List the agents that bots of the administered tenants can be served by.',
      query: PageQuery.extend(tenantFilter.shape),
      response: z.array(AvailableAgent),
      paged: true,
      errors: [503],
    }),
    createBot: route({
      method: 'post',
      path: '/:tenantId/bots',
      access: 'admin',
      summary: 'Create a bot.',
      description: 'Agents must exist in the tenant; an unknown one is 400.',
      body: CreateBotBody,
      response: Bot,
      status: 201,
    }),
    getBot: route({
      method: 'get',
      path: '/:tenantId/:botId',
      access: 'member',
      summary: 'Get a bot.',
      response: Bot,
    }),
    updateBot: route({
      method: 'put',
      path: '/:tenantId/:botId',
      access: 'admin',
      summary: 'Update a bot: the fields that the body carries.',
      body: UpdateBotBody,
      response: Bot,
    }),
    deleteBot: route({
      method: 'delete',
      path: '/:tenantId/:botId',
      access: 'admin',
      summary: 'Delete a bot; its webhooks are removed from the platforms.',
    }),
    getBotWords: route({
      method: 'get',
      path: '/:tenantId/:botId/words',
      access: 'member',
      summary:
        'What a bot says in chats without a model, in every language, beside what every other bot says.',
      description:
        'A person is spoken to in the language of their app, of an e-mail in its `Content-Language`: `pt-BR`, else `pt`, else ' +
        "the bot's `defaultLanguage`, else English. Own texts are set with PUT of the bot, as `words`.",
      response: BotSpeech,
    }),
    getBotStats: route({
      method: 'get',
      path: '/:tenantId/:botId/stats',
      access: 'member',
      summary: 'What a bot did, per day: messages, chats, people, tokens, latency.',
      description: 'At most 366 days. Every day is there, with zeros where nothing happened.',
      query: BotStatsQuery,
      response: BotStats,
      errors: [503],
    }),
    listIntegrations: route({
      method: 'get',
      path: '/:tenantId/:botId/integrations',
      access: 'member',
      summary: "List a bot's integrations.",
      query: PageQuery,
      response: z.array(Integration),
      paged: true,
    }),
    createIntegration: route({
      method: 'post',
      path: '/:tenantId/:botId/integrations',
      access: 'admin',
      summary: 'Connect a bot to a platform.',
      description:
        'The token is tried with the platform first: a rejected one is 422 and nothing is stored. A token that serves ' +
        'another integration is 409. Registration of the webhook goes on in the background: see `registration`.',
      body: CreateIntegrationBody,
      response: Integration,
      status: 201,
      errors: [409, 422, 503],
    }),
    getIntegration: route({
      method: 'get',
      path: '/:tenantId/:botId/integrations/:integrationId',
      access: 'member',
      summary: 'Get an integration; credentials are masked.',
      response: Integration,
    }),
    updateIntegration: route({
      method: 'put',
      path: '/:tenantId/:botId/integrations/:integrationId',
      access: 'admin',
      summary: 'Update an integration: the fields that the body carries.',
      body: UpdateIntegrationBody,
      response: Integration,
      errors: [409, 422, 503],
    }),
    deleteIntegration: route({
      method: 'delete',
      path: '/:tenantId/:botId/integrations/:integrationId',
      access: 'admin',
      summary: 'Delete an integration; its webhook is removed from the platform.',
    }),
  },
});
