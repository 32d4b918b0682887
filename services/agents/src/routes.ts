import { agentsRouter } from '@botyard/contracts/http/agents';
import { analyticsRouter } from '@botyard/contracts/http/analytics';
import { appsRouter } from '@botyard/contracts/http/apps';
import { appsAdminRouter } from '@botyard/contracts/http/apps-admin';
import { archivalRouter } from '@botyard/contracts/http/archival';
import { botAssignmentRouter } from '@botyard/contracts/http/bot-assignment';
import { botGroupsRouter } from '@botyard/contracts/http/bot-groups';
import { contextSourcesRouter } from '@botyard/contracts/http/context-sources';
import { contextTracesRouter } from '@botyard/contracts/http/context-traces';
import { definitionsRouter } from '@botyard/contracts/http/definitions';
import { evaluationsRouter } from '@botyard/contracts/http/evaluations';
import { integrationsRouter } from '@botyard/contracts/http/integrations';
import { integrationsAdminRouter } from '@botyard/contracts/http/integrations-admin';
import { toolServersRouter } from '@botyard/contracts/http/integrations-servers';
import { interactionsRouter } from '@botyard/contracts/http/interactions';
import { liveRouter } from '@botyard/contracts/http/live';
import { specMigrationRouter } from '@botyard/contracts/http/spec-migration';
import { toolsRouter } from '@botyard/contracts/http/tools';
import { type Served, serves } from '@botyard/shared/service/foundation';
import { appsHandlers } from './apps/routes/apps.ts';
import { appsAdminHandlers } from './apps/routes/apps-admin.ts';
import { specMigrationHandlers } from './apps/routes/spec-migration.ts';
import { archivalHandlers } from './archive/routes/archival.ts';
import { definitionsHandlers } from './definitions/routes/definitions.ts';
import type { Deps } from './deps.ts';
import { evaluationsHandlers } from './evaluations/routes/evaluations.ts';
import { refuseUnlessEnabled } from './external-tools/routes/enabled.ts';
import { integrationsHandlers } from './external-tools/routes/integrations.ts';
import { integrationsAdminHandlers } from './external-tools/routes/integrations-admin.ts';
import { serverTrialHandlers, toolsHandlers } from './external-tools/routes/tools.ts';
import { interactionsHandlers } from './interactions/routes/interactions.ts';
import { contextSourcesHandlers } from './knowledge/routes/context-sources.ts';
import { liveHandlers } from './live/routes/events.ts';
import { mountOauthCallback } from './mcp/routes/oauth-callback.ts';
import { mountOauthConnect } from './mcp/routes/oauth-connect.ts';
import { toolServersHandlers } from './mcp/routes/servers.ts';
import { agentReleaseHandlers } from './releases/routes/releases.ts';
import { botAssignmentHandlers } from './routing/routes/bot-assignment.ts';
import { botGroupsHandlers } from './routing/routes/bot-groups.ts';
import { shadowHandlers } from './shadows/routes/shadows.ts';
import { agentsFinders, agentsHandlers } from './statistics/routes/agents.ts';
import { analyticsHandlers } from './statistics/routes/analytics.ts';
import { contextTracesHandlers } from './traces/routes/context-traces.ts';
import { trialHandlers } from './trials/routes/agents.ts';

export const routes: readonly Served<Deps>[] = [
  serves<typeof definitionsRouter, Deps>(definitionsRouter, {
    ...definitionsHandlers,
    ...agentReleaseHandlers,
    ...shadowHandlers,
  }),
  serves<typeof agentsRouter, Deps>(agentsRouter, { ...agentsHandlers, ...trialHandlers }, agentsFinders),
  serves(botAssignmentRouter, botAssignmentHandlers),
  serves(botGroupsRouter, botGroupsHandlers),
  serves(evaluationsRouter, evaluationsHandlers),
  serves(interactionsRouter, interactionsHandlers),
  serves(analyticsRouter, analyticsHandlers),
  serves(contextSourcesRouter, contextSourcesHandlers),
  serves(contextTracesRouter, contextTracesHandlers),
  serves(toolsRouter, toolsHandlers),
  serves<typeof toolServersRouter, Deps>(toolServersRouter, {
    ...toolServersHandlers,
    ...serverTrialHandlers,
  }),
  serves(integrationsRouter, integrationsHandlers),
  serves(integrationsAdminRouter, integrationsAdminHandlers),
  serves(appsAdminRouter, appsAdminHandlers),
  serves(appsRouter, appsHandlers),
  serves(specMigrationRouter, specMigrationHandlers),
  serves(archivalRouter, archivalHandlers),
  serves(liveRouter, liveHandlers),
];

/** Refuses all paths of external tools while they are off, and adds those that are outside of the API. */
export function mountExternalTools(app: Parameters<typeof refuseUnlessEnabled>[0], deps: Deps): void {
  const isEnabled = deps.config.TOOL_INTEGRATIONS_ENABLED;
  refuseUnlessEnabled(app, isEnabled);
  if (!isEnabled) return;
  mountOauthCallback(app, deps);
  mountOauthConnect(app, deps);
}
