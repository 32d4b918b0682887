import type { Bot } from '@botyard/contracts/http/bot';
import type { Integration } from '@botyard/contracts/http/bot-integrations';
import type { botsRouter, Tenant } from '@botyard/contracts/http/bots';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant, withTenantAtOnce } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { listAvailableAgents } from '../../domain/bots/available-agents.ts';
import { getBotStats, spanOf } from '../../domain/bots/bot-stats.ts';
import { speechOf } from '../../domain/bots/bot-words.ts';
import { createBot, deleteBot, updateBot } from '../../domain/bots/bots.ts';
import { createIntegration, deleteIntegration, updateIntegration } from '../../domain/bots/integrations.ts';
import { toRegistration } from '../../domain/bots/registration.ts';
import { deleteTenant } from '../../domain/tenants/delete-tenant.ts';
import { createTenant } from '../../domain/tenants/tenants.ts';
import { type BotRow, getBot, listBots } from '../../store/bots.ts';
import { getIntegration, type IntegrationRow, listIntegrations } from '../../store/integrations.ts';
import { getTenant, listTenants, type TenantRow, updateTenant } from '../../store/tenants.ts';
import { administeredBy } from '../administered.ts';
import { invitationHandlers } from '../invitations.ts';
import { memberHandlers } from '../members.ts';

const maxBotsOfATenant = 500;

export const botsHandlers: Handlers<typeof botsRouter, Deps> = {
  listBots: ({ caller, query }, { database }) =>
    withTenantAtOnce(database, administeredBy(caller, query.tenantId), async (tx) =>
      pageOf(await listBots(tx, query), query, toBot, ({ botId }) => botId),
    ),

  listTenants: ({ caller, query }, { database }) =>
    withTenantAtOnce(database, administeredBy(caller, query.tenantId), async (tx) =>
      pageOf(await listTenants(tx, query), query, toTenant, ({ tenantId }) => tenantId),
    ),

  createTenant: async ({ caller, body }, deps) => toTenant(await createTenant(deps, caller, body)),

  getTenant: ({ tenantId }, { database }) =>
    withTenantAtOnce(database, [tenantId], async (tx) => {
      const [tenant, bots] = await Promise.all([
        getTenant(tx, tenantId),
        listBots(tx, { limit: maxBotsOfATenant }),
      ]);
      if (!tenant) throw notFound('tenant');
      return { ...toTenant(tenant), bots: bots.slice(0, maxBotsOfATenant).map(toBot) };
    }),

  updateTenant: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const tenant = await updateTenant(tx, tenantId, body);
      if (!tenant) throw notFound('tenant');
      return toTenant(tenant);
    }),

  deleteTenant: ({ tenantId }, deps) => deleteTenant(deps, tenantId),

  ...memberHandlers,
  ...invitationHandlers,

  listAvailableAgents: ({ caller, query }, deps) =>
    listAvailableAgents(deps, administeredBy(caller, query.tenantId), query),

  createBot: async ({ tenantId, body }, deps) => toBot(await createBot(deps, tenantId, body)),

  getBot: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const bot = await getBot(tx, tenantId, params.botId);
      if (!bot) throw notFound('bot');
      return toBot(bot);
    }),

  updateBot: async ({ tenantId, params, body }, deps) =>
    toBot(await updateBot(deps, { tenantId, botId: params.botId }, body)),

  deleteBot: ({ tenantId, params }, deps) => deleteBot(deps, { tenantId, botId: params.botId }),

  getBotWords: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const bot = await getBot(tx, tenantId, params.botId);
      if (!bot) throw notFound('bot');
      return speechOf(bot);
    }),

  getBotStats: async ({ tenantId, params, query }, deps) => {
    const bot = { tenantId, botId: params.botId };
    if (!(await withTenant(deps.database, [tenantId], (tx) => getBot(tx, tenantId, bot.botId))))
      throw notFound('bot');
    return await getBotStats(deps, bot, spanOf(query, new Date()));
  },

  listIntegrations: ({ tenantId, params, query }, deps) =>
    withTenant(deps.database, [tenantId], async (tx) => {
      if (!(await getBot(tx, tenantId, params.botId))) throw notFound('bot');
      const rows = await listIntegrations(tx, { tenantId, botId: params.botId }, query);
      return pageOf(
        rows,
        query,
        (row) => toIntegration(row, deps),
        ({ integrationId }) => integrationId,
      );
    }),

  createIntegration: async ({ tenantId, params, body }, deps) =>
    toIntegration(await createIntegration(deps, { tenantId, botId: params.botId }, body), deps),

  getIntegration: ({ tenantId, params }, deps) =>
    withTenant(deps.database, [tenantId], async (tx) => {
      const integration = await getIntegration(tx, { ...params, tenantId });
      if (!integration) throw notFound('integration');
      return toIntegration(integration, deps);
    }),

  updateIntegration: async ({ tenantId, params, body }, deps) =>
    toIntegration(await updateIntegration(deps, { ...params, tenantId }, body), deps),

  deleteIntegration: ({ tenantId, params }, deps) => deleteIntegration(deps, { ...params, tenantId }),
};

const toTenant = (row: TenantRow): Tenant => ({
  tenantId: row.tenantId,
  name: row.name,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** As it is shown; without the tenant where the contract has none. */
export const toBot = (row: BotRow): Bot => ({
  botId: row.botId,
  tenantId: row.tenantId,
  name: row.name,
  agentIds: row.agentIds,
  enabled: row.isEnabled,
  joinWindowMs: row.joinWindowMs,
  answerDeadlineSeconds: row.answerDeadlineSeconds,
  delayNoticeSeconds: row.delayNoticeSeconds,
  answerWithinMinutes: row.answerWithinMinutes,
  handbackAfterMinutes: row.handbackAfterMinutes,
  defaultLanguage: row.defaultLanguage,
  words: row.words as Bot['words'],
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

const toIntegration = (
  row: IntegrationRow,
  { webhookBaseUrl }: Pick<Deps, 'webhookBaseUrl'>,
): Integration => ({
  integrationId: row.integrationId,
  tenantId: row.tenantId,
  botId: row.botId,
  integrationType: row.integrationType,
  enabled: row.isEnabled,
  maskedCredentials: row.maskedCredentials,
  settings: row.maskedSettings,
  registration: toRegistration(row),
  ...(row.address === null ? {} : { deliverTo: `${webhookBaseUrl}/webhooks/email/${row.botId}` }),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
