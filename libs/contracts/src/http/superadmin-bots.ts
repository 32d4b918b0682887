import { z } from 'zod';
import { platformTenantId } from '../platform-tenant.ts';
import { AvailableAgent } from './agents.ts';
import { Bot, CreateBotBody, UpdateBotBody } from './bot.ts';
import { CreateIntegrationBody, Integration, UpdateIntegrationBody } from './bot-integrations.ts';
import { BotStats, BotStatsQuery } from './bot-stats.ts';
import { BotSpeech } from './bot-words.ts';
import { defineRouter, operator } from './contract.ts';

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

export const superadminBotsRouter = defineRouter({
  basePath: '/api/bots/superadmin',
  service: 'tenancy',
  description:
    "The platform's own bots, which belong to no tenant. The routes mirror those for a tenant's bots. To create agents for " +
    'these bots, or to see their chats, an operator selects the platform as the active tenant: ' +
    `POST /api/tenant/select with { "tenantId": "${platformTenantId}" }. Routes for keys and usage accept the same identifier in the path. Otherwise the platform is not a tenant.`,
  reserves: 'operator',
  routes: {
    listPlatformBots: operator.list('/', {
      summary: "List the platform's bots.",
      response: z.array(PlatformBot),
    }),
    listPlatformAgents: operator.list('/available-agents', {
      summary: "List the agents that can serve the platform's bots.",
      response: z.array(PlatformAgent),
      errors: [503],
    }),
    createPlatformBot: operator.post('/bots', {
      summary: 'Create a bot of the platform.',
      description: 'Agents must belong to the platform. Returns 400 for an unknown agent.',
      body: CreateBotBody,
      response: PlatformBot,
      status: 201,
    }),
    getPlatformBot: operator.get('/:botId', { summary: 'Get a bot of the platform.', response: PlatformBot }),
    updatePlatformBot: operator.put('/:botId', {
      summary: 'Update the given fields of a bot of the platform.',
      body: UpdateBotBody,
      response: PlatformBot,
    }),
    deletePlatformBot: operator.delete('/:botId', {
      summary: 'Delete a bot of the platform, and remove its webhooks from the platforms.',
    }),
    getPlatformBotWords: operator.get('/:botId/words', {
      summary: 'Get the texts that a bot of the platform sends without a model.',
      description: "Works as for a tenant's bots.",
      response: BotSpeech,
    }),
    getPlatformBotStats: operator.get('/:botId/stats', {
      summary: 'Get the daily statistics of a bot of the platform.',
      description: "Works as for a tenant's bots.",
      query: BotStatsQuery,
      response: BotStats,
      errors: [503],
    }),
    listPlatformIntegrations: operator.list('/:botId/integrations', {
      summary: "List a platform bot's integrations.",
      response: z.array(PlatformIntegration),
    }),
    createPlatformIntegration: operator.post('/:botId/integrations', {
      summary: 'Connect a bot of the platform to a messaging platform.',
      body: CreateIntegrationBody,
      response: PlatformIntegration,
      status: 201,
      errors: [409, 422, 503],
    }),
    getPlatformIntegration: operator.get('/:botId/integrations/:integrationId', {
      summary: 'Get an integration of a platform bot, with masked credentials.',
      response: PlatformIntegration,
    }),
    updatePlatformIntegration: operator.put('/:botId/integrations/:integrationId', {
      summary: 'Update the given fields of an integration of a platform bot.',
      body: UpdateIntegrationBody,
      response: PlatformIntegration,
      errors: [409, 422, 503],
    }),
    deletePlatformIntegration: operator.delete('/:botId/integrations/:integrationId', {
      summary: 'Delete an integration of a platform bot, and remove its webhook from the platform.',
    }),
  },
});
