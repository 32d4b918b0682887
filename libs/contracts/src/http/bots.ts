import { z } from 'zod';
import { AvailableAgent } from './agents.ts';
import { Bot, CreateBotBody, UpdateBotBody } from './bot.ts';
import { CreateIntegrationBody, Integration, UpdateIntegrationBody } from './bot-integrations.ts';
import { BotStats, BotStatsQuery } from './bot-stats.ts';
import { BotSpeech } from './bot-words.ts';
import { id, moment, name, tenantFilter } from './common.ts';
import { admin, anyAdmin, authenticated, defineRouter, member } from './contract.ts';
import { Authorization, InstallablePlatform, installCookies } from './installations.ts';
import { invitationRoutes } from './invitations.ts';
import { AddMemberBody, ChangeMemberBody, Member } from './members.ts';
import { PageQuery } from './page.ts';
import { SearchText } from './sorted-page.ts';

const Tenant = z
  .object({ tenantId: id, name: z.string(), createdAt: moment, updatedAt: moment })
  .meta({ id: 'Tenant', description: 'A customer, to whom bots, people, keys and all other data belong.' });

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
    .describe(
      "The identity provider's identifier of the person who becomes the first admin. Defaults to the caller.",
    ),
});
const UpdateTenantBody = z.object({ name: name.optional() });

export const botsRouter = defineRouter({
  basePath: '/api/bots',
  words: ['superadmin'],
  service: 'tenancy',
  description: 'Tenants, their bots, and the integrations that connect a bot to a platform.',
  cookies: Object.values(installCookies),
  routes: {
    listBots: anyAdmin.list('/', {
      summary: 'List the bots of every tenant that the caller administers.',
      query: PageQuery.extend(tenantFilter.shape),
      response: z.array(Bot),
    }),
    listTenants: anyAdmin.list('/tenants', {
      summary: 'List the tenants that the caller administers.',
      query: PageQuery.extend(tenantFilter.shape),
      response: z.array(Tenant),
    }),
    createTenant: authenticated.post('/tenants', {
      summary: 'Create a tenant together with its first admin.',
      body: CreateTenantBody,
      response: Tenant,
      status: 201,
      errors: [404],
    }),
    getTenant: member.get('/tenants/:tenantId', {
      summary: 'Get a tenant with its bots.',
      response: TenantWithBots,
    }),
    updateTenant: admin.put('/tenants/:tenantId', {
      summary: 'Update a tenant.',
      body: UpdateTenantBody,
      response: Tenant,
    }),
    deleteTenant: admin.delete('/tenants/:tenantId', {
      summary: 'Delete a tenant with everything that belongs to it.',
      description:
        'The tenant is inaccessible as soon as the response is sent. Its webhooks are then removed from the ' +
        'platforms, and its data in the other services is deleted.',
    }),
    listMembers: admin.list('/tenants/:tenantId/members', {
      summary: 'List the people of a tenant, with their roles.',
      query: PageQuery.extend({
        q: SearchText.optional().describe(
          'Only people whose name or email address contains this text. Case is ignored. People whose name and ' +
            'address are not shown are never matched.',
        ),
      }),
      response: z.array(Member),
    }),
    addMember: admin.post('/tenants/:tenantId/members', {
      summary: 'Add a person to a tenant as a member or admin. Returns 409 if they already belong to it.',
      body: AddMemberBody,
      response: Member,
      status: 201,
      errors: [409, 503],
    }),
    getMember: admin.get('/tenants/:tenantId/members/:userId', {
      summary: "Get a person's membership in a tenant.",
      response: Member,
    }),
    changeMember: admin.put('/tenants/:tenantId/members/:userId', {
      summary: "Change a person's role. Returns 409 when demoting the last admin.",
      body: ChangeMemberBody,
      response: Member,
      errors: [409],
    }),
    removeMember: admin.delete('/tenants/:tenantId/members/:userId', {
      summary: 'Remove a person from a tenant. Returns 409 for the last admin.',
      errors: [409],
    }),
    ...invitationRoutes,
    listAvailableAgents: anyAdmin.list('/available-agents', {
      summary: 'List the agents available to bots of the tenants that the caller administers.',
      query: PageQuery.extend(tenantFilter.shape),
      response: z.array(AvailableAgent),
      errors: [503],
    }),
    createBot: admin.post('/:tenantId/bots', {
      summary: 'Create a bot.',
      description: 'Returns 400 if an agent does not exist in the tenant.',
      body: CreateBotBody,
      response: Bot,
      status: 201,
    }),
    getBot: member.get('/:tenantId/:botId', { summary: 'Get a bot.', response: Bot }),
    updateBot: admin.put('/:tenantId/:botId', {
      summary: 'Update a bot. Omitted fields are unchanged.',
      body: UpdateBotBody,
      response: Bot,
    }),
    deleteBot: admin.delete('/:tenantId/:botId', {
      summary: 'Delete a bot and remove its webhooks from the platforms.',
    }),
    getBotWords: member.get('/:tenantId/:botId/words', {
      summary: 'Get the texts that a bot sends without a model, in every language, with the defaults.',
      description:
        "The language is that of the person's app or, for email, the `Content-Language` of the email. For " +
        "`pt-BR`, texts are looked up in `pt-BR`, then `pt`, then the bot's `defaultLanguage`, then English. To " +
        "set a bot's own texts, update `words` of the bot.",
      response: BotSpeech,
    }),
    getBotStats: member.get('/:tenantId/:botId/stats', {
      summary: "Get a bot's statistics per day: messages, chats, people, tokens and latency.",
      description: 'Covers at most 366 days. Days without activity are included with zeros.',
      query: BotStatsQuery,
      response: BotStats,
      errors: [503],
    }),
    listIntegrations: member.list('/:tenantId/:botId/integrations', {
      summary: "List a bot's integrations.",
      response: z.array(Integration),
    }),
    createIntegration: admin.post('/:tenantId/:botId/integrations', {
      summary: 'Connect a bot to a platform.',
      description:
        'The token is first verified with the platform. Returns 422 and stores nothing if the platform rejects ' +
        'it. Returns 409 if another integration uses the token. The webhook is registered in the background; ' +
        '`registration` shows the state.',
      body: CreateIntegrationBody,
      response: Integration,
      status: 201,
      errors: [409, 422, 503],
    }),
    getIntegration: member.get('/:tenantId/:botId/integrations/:integrationId', {
      summary: 'Get an integration, with masked credentials.',
      response: Integration,
    }),
    authorizeIntegration: admin.post('/:tenantId/:botId/integrations/:integrationType/authorize', {
      summary: "Begin to connect a bot by installing Botyard's app at the platform (OAuth).",
      description:
        'Returns the address of the page on which a person allows the installation, and sets a cookie. Once they ' +
        'have allowed it in the same browser, the integration is created, or gets the new credentials. Returns 422 ' +
        'if the platform has no app to install, or its app is not configured.',
      params: { integrationType: InstallablePlatform },
      response: Authorization,
      status: 201,
      errors: [422, 503],
    }),
    updateIntegration: admin.put('/:tenantId/:botId/integrations/:integrationId', {
      summary: 'Update an integration. Omitted fields are unchanged.',
      body: UpdateIntegrationBody,
      response: Integration,
      errors: [409, 422, 503],
    }),
    deleteIntegration: admin.delete('/:tenantId/:botId/integrations/:integrationId', {
      summary: 'Delete an integration and remove its webhook from the platform.',
    }),
  },
});
