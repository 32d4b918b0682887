import type { Bot } from '@botyard/contracts/http/bot';
import type { Integration } from '@botyard/contracts/http/bot-integrations';
import type { botsRouter } from '@botyard/contracts/http/bots';
import { withMoments } from '@botyard/contracts/http/common';
import { pageOf } from '@botyard/contracts/http/page';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { toRegistration } from '../../integrations/domain/registration.ts';
import {
  getIntegration,
  type IntegrationRow,
  listIntegrations,
} from '../../integrations/store/integrations.ts';
import { administeredBy } from '../../people/routes/administered.ts';
import type { Deps } from '../deps.ts';
import { listAvailableAgents } from '../domain/available-agents.ts';
import { beginInstallation } from '../domain/begin-installation.ts';
import { getBotStats, spanOf } from '../domain/bot-stats.ts';
import { speechOf } from '../domain/bot-words.ts';
import { createBot, deleteBot, updateBot } from '../domain/bots.ts';
import type { Tried } from '../domain/connections.ts';
import { createIntegration, deleteIntegration, updateIntegration } from '../domain/integrations.ts';
import { type BotRow, getBot, listBots } from '../store/bots.ts';

type BotRoutes =
  | 'listBots'
  | 'listAvailableAgents'
  | `${'create' | 'get' | 'update' | 'delete'}${'Bot' | 'Integration'}`
  | 'getBotWords'
  | 'getBotStats'
  | 'listIntegrations'
  | 'authorizeIntegration';

/** The part of `/api/bots` that is about bots and what connects them. */
export const botHandlers: Pick<Handlers<typeof botsRouter, Deps>, BotRoutes> = {
  listBots: ({ caller, query }, { database }) =>
    withTenant(
      database,
      administeredBy(caller, query.tenantId),
      async (tx) => pageOf(await listBots(tx, query), query, toBot, ({ botId }) => botId),
      { isOneRoundTrip: true },
    ),

  listAvailableAgents: ({ caller, query }, deps) =>
    listAvailableAgents(deps, administeredBy(caller, query.tenantId), query),

  createBot: async ({ tenantId, body }, deps) => toBot(await createBot(deps, tenantId, body)),

  getBot: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      toBot(found(await getBot(tx, tenantId, params.botId), 'bot')),
    ),

  updateBot: async ({ tenantId, params, body }, deps) =>
    toBot(await updateBot(deps, { tenantId, botId: params.botId }, body)),

  deleteBot: ({ tenantId, params }, deps) => deleteBot(deps, { tenantId, botId: params.botId }),

  getBotWords: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      speechOf(found(await getBot(tx, tenantId, params.botId), 'bot')),
    ),

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
    toTried(await createIntegration(deps, { tenantId, botId: params.botId }, body), deps),

  getIntegration: ({ tenantId, params }, deps) =>
    withTenant(deps.database, [tenantId], async (tx) => {
      const integration = await getIntegration(tx, { ...params, tenantId });
      return toIntegration(found(integration, 'integration'), deps);
    }),

  authorizeIntegration: ({ tenantId, params, caller, exchange }, deps) =>
    beginInstallation(deps, exchange, {
      caller,
      tenantId,
      botId: params.botId,
      name: params.integrationType,
    }),

  updateIntegration: async ({ tenantId, params, body }, deps) =>
    toTried(await updateIntegration(deps, { ...params, tenantId }, body), deps),

  deleteIntegration: ({ tenantId, params }, deps) => deleteIntegration(deps, { ...params, tenantId }),
};

/** A bot in the form for clients, without the tenant where the contract has none. */
export const toBot = ({ isEnabled, words, ...bot }: BotRow): Bot => ({
  ...withMoments(bot),
  enabled: isEnabled,
  words: words as Bot['words'],
});

const toTried = ({ result, warnings }: Tried<IntegrationRow>, deps: Deps): Integration => ({
  ...toIntegration(result, deps),
  ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
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
  ...(isSetUpByTenant(row)
    ? { deliverTo: `${webhookBaseUrl}/webhooks/${row.integrationType}/${row.botId}` }
    : {}),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** Whether the platform has an address for deliveries that we don't register there ourselves. */
const isSetUpByTenant = ({ integrationType, address }: IntegrationRow): boolean => {
  const { registersWebhook, usesAddresses, operations } = platformDefinitions[integrationType];
  if (registersWebhook || (usesAddresses && address === null)) return false;
  return operations.some(({ path }) => path === `/webhooks/${integrationType}/{botId}`);
};
