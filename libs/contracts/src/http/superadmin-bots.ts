import { z } from 'zod';
import { platformTenantId } from '../platform-tenant.ts';
import { AvailableAgent } from './agents.ts';
import { Bot, CreateBotBody, UpdateBotBody } from './bot.ts';
import { CreateIntegrationBody, Integration, UpdateIntegrationBody } from './bot-integrations.ts';
import { BotStats, BotStatsQuery } from './bot-stats.ts';
import { BotSpeech } from './bot-words.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

/** The shape of a tenant's bot, without the tenant. */
const PlatformBot = Bot.omit({ tenantId: true }).meta({
  id: 'PlatformBot',
  description: 'A bot of the platform itself, which belongs to no tenant.',
});
const PlatformIntegration = Integration.omit({ tenantId: true }).meta({
  id: 'PlatformIntegration',
  description: 'The connection of a bot of the platform itself to a chat platform or a mailbox.',
});
const PlatformAgent = AvailableAgent.omit({ tenantId: true }).meta({
  id: 'PlatformAgent',
  description: 'An agent that bots of the platform itself may use.',
});

const access = 'operator';

export const superadminBotsRouter = defineRouter({
  basePath: '/api/bots/superadmin',
  service: 'tenancy',
  description:
    "The platform's own bots, which belong to no tenant. The routes mirror those for a tenant's bots. To create agents for " +
    'these bots, or to see their chats, an operator selects the platform as the active tenant: ' +
    `POST /api/tenant/select with { "tenantId": "${platformTenantId}" }. Routes for keys and usage accept the same identifier in the path. Otherwise the platform is not a tenant.`,
  reserves: access,
  routes: {
    listPlatformBots: route({
      method: 'get',
      path: '/',
      access,
      summary: "List the platform's bots.",
      query: PageQuery,
      response: z.array(PlatformBot),
      paged: true,
    }),
    listPlatformAgents: route({
      method: 'get',
      path: '/available-agents',
      access,
      summary: "List the agents that can serve the platform's bots.",
      query: PageQuery,
      response: z.array(PlatformAgent),
      paged: true,
      errors: [503],
    }),
    createPlatformBot: route({
      method: 'post',
      path: '/bots',
      access,
      summary: 'Create a bot of the platform.',
      description: 'Agents must belong to the platform. Returns 400 for an unknown agent.',
      body: CreateBotBody,
      response: PlatformBot,
      status: 201,
    }),
    getPlatformBot: route({
      method: 'get',
      path: '/:botId',
      access,
      summary: 'Get a bot of the platform.',
      response: PlatformBot,
    }),
    updatePlatformBot: route({
      method: 'put',
      path: '/:botId',
      access,
      summary: 'Update the given fields of a bot of the platform.',
      body: UpdateBotBody,
      response: PlatformBot,
    }),
    deletePlatformBot: route({
      method: 'delete',
      path: '/:botId',
      access,
      summary: 'Delete a bot of the platform, and remove its webhooks from the platforms.',
    }),
    getPlatformBotWords: route({
      method: 'get',
      path: '/:botId/words',
      access,
      summary: 'Get the texts that a bot of the platform sends without a model.',
      description: "Works as for a tenant's bots.",
      response: BotSpeech,
    }),
    getPlatformBotStats: route({
      method: 'get',
      path: '/:botId/stats',
      access,
      summary: 'Get the daily statistics of a bot of the platform.',
      description: "Works as for a tenant's bots.",
      query: BotStatsQuery,
      response: BotStats,
      errors: [503],
    }),
    listPlatformIntegrations: route({
      method: 'get',
      path: '/:botId/integrations',
      access,
      summary: "List a platform bot's integrations.",
      query: PageQuery,
      response: z.array(PlatformIntegration),
      paged: true,
    }),
    createPlatformIntegration: route({
      method: 'post',
      path: '/:botId/integrations',
      access,
      summary: 'Connect a bot of the platform to a messaging platform.',
      body: CreateIntegrationBody,
      response: PlatformIntegration,
      status: 201,
      errors: [409, 422, 503],
    }),
    getPlatformIntegration: route({
      method: 'get',
      path: '/:botId/integrations/:integrationId',
      access,
      summary: 'Get an integration of a platform bot, with masked credentials.',
      response: PlatformIntegration,
    }),
    updatePlatformIntegration: route({
      method: 'put',
      path: '/:botId/integrations/:integrationId',
      access,
      summary: 'Update the given fields of an integration of a platform bot.',
      body: UpdateIntegrationBody,
      response: PlatformIntegration,
      errors: [409, 422, 503],
    }),
    deletePlatformIntegration: route({
      method: 'delete',
      path: '/:botId/integrations/:integrationId',
      access,
      summary: 'Delete an integration of a platform bot, and remove its webhook from the platform.',
    }),
  },
});
