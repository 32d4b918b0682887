import { z } from 'zod';
import { platformTenantId } from '../platform-tenant.ts';
import { AvailableAgent } from './agents.ts';
import { Bot, CreateBotBody, UpdateBotBody } from './bot.ts';
import { CreateIntegrationBody, Integration, UpdateIntegrationBody } from './bot-integrations.ts';
import { BotStats, BotStatsQuery } from './bot-stats.ts';
import { BotSpeech } from './bot-words.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';

/** As a tenant's, but that there is no tenant. */
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
    "The platform's own bots, which no tenant owns. They mirror the bot routes without the tenant. To make agents for " +
    'them, or to see their chats, an operator chooses the platform as the active tenant: ' +
    `POST /api/tenant/select with { "tenantId": "${platformTenantId}" }; keys and usage take the same identifier in the path. It is no tenant otherwise.`,
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
      summary: "List the agents that the platform's bots can be served by.",
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
      description: "Agents must be the platform's; an unknown one is 400.",
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
      summary: 'Update a bot of the platform: the fields that the body carries.',
      body: UpdateBotBody,
      response: PlatformBot,
    }),
    deletePlatformBot: route({
      method: 'delete',
      path: '/:botId',
      access,
      summary: 'Delete a bot of the platform; its webhooks are removed from the platforms.',
    }),
    getPlatformBotWords: route({
      method: 'get',
      path: '/:botId/words',
      access,
      summary: 'What a bot of the platform says in chats without a model; as for the bots of a tenant.',
      response: BotSpeech,
    }),
    getPlatformBotStats: route({
      method: 'get',
      path: '/:botId/stats',
      access,
      summary: 'What a bot of the platform did, per day; as for the bots of a tenant.',
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
      summary: 'Get an integration of a platform bot; credentials are masked.',
      response: PlatformIntegration,
    }),
    updatePlatformIntegration: route({
      method: 'put',
      path: '/:botId/integrations/:integrationId',
      access,
      summary: 'Update an integration of a platform bot: the fields that the body carries.',
      body: UpdateIntegrationBody,
      response: PlatformIntegration,
      errors: [409, 422, 503],
    }),
    deletePlatformIntegration: route({
      method: 'delete',
      path: '/:botId/integrations/:integrationId',
      access,
      summary: 'Delete an integration of a platform bot; its webhook is removed from the platform.',
    }),
  },
});
