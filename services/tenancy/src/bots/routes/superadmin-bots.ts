import { pageOf } from '@botyard/contracts/http/page';
import type { superadminBotsRouter } from '@botyard/contracts/http/superadmin-bots';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { listAvailableAgents } from '../domain/available-agents.ts';
import { listBots } from '../store/bots.ts';
import { botHandlers, toBot } from './bots.ts';

/** The same request in the platform's own tenant, which the path doesn't name. */
const onPlatform = <Input extends { params: object }>(input: Input) => ({
  ...input,
  params: { ...input.params, tenantId: platformTenantId } as Input['params'] & { tenantId: string },
  tenantId: platformTenantId,
});

/** Reuses the tenants' handlers, so that both trees behave alike. */
export const superadminBotsHandlers: Handlers<typeof superadminBotsRouter, Deps> = {
  listPlatformBots: ({ query }, { database }) =>
    withTenant(database, [platformTenantId], async (tx) =>
      pageOf(await listBots(tx, query), query, toBot, ({ botId }) => botId),
    ),

  listPlatformAgents: ({ query }, deps) => listAvailableAgents(deps, [platformTenantId], query),

  createPlatformBot: (input, deps) => botHandlers.createBot(onPlatform(input), deps),
  getPlatformBot: (input, deps) => botHandlers.getBot(onPlatform(input), deps),
  updatePlatformBot: (input, deps) => botHandlers.updateBot(onPlatform(input), deps),
  deletePlatformBot: (input, deps) => botHandlers.deleteBot(onPlatform(input), deps),
  getPlatformBotWords: (input, deps) => botHandlers.getBotWords(onPlatform(input), deps),

  getPlatformBotStats: (input, deps) => botHandlers.getBotStats(onPlatform(input), deps),

  listPlatformIntegrations: (input, deps) => botHandlers.listIntegrations(onPlatform(input), deps),
  createPlatformIntegration: (input, deps) => botHandlers.createIntegration(onPlatform(input), deps),
  getPlatformIntegration: (input, deps) => botHandlers.getIntegration(onPlatform(input), deps),
  updatePlatformIntegration: (input, deps) => botHandlers.updateIntegration(onPlatform(input), deps),
  deletePlatformIntegration: (input, deps) => botHandlers.deleteIntegration(onPlatform(input), deps),
};
