import { agentsRouter } from '@botyard/shared/contracts/agents';
import { appsRouter } from '@botyard/shared/contracts/apps';
import { appsAdminRouter } from '@botyard/shared/contracts/apps-admin';
import { archivalRouter } from '@botyard/shared/contracts/archival';
import { botAssignmentRouter } from '@botyard/shared/contracts/bot-assignment';
import { botGroupsRouter } from '@botyard/shared/contracts/bot-groups';
import { contextSourcesRouter } from '@botyard/shared/contracts/context-sources';
import { contextTracesRouter } from '@botyard/shared/contracts/context-traces';
import { definitionsRouter } from '@botyard/shared/contracts/definitions';
import { integrationsRouter } from '@botyard/shared/contracts/integrations';
import { integrationsAdminRouter } from '@botyard/shared/contracts/integrations-admin';
import { interactionsRouter } from '@botyard/shared/contracts/interactions';
import { specMigrationRouter } from '@botyard/shared/contracts/spec-migration';
import { toolsRouter } from '@botyard/shared/contracts/tools';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { agentsHandlers } from './routes/agents.ts';
import { appsHandlers } from './routes/apps/apps.ts';
import { appsAdminHandlers } from './routes/apps/apps-admin.ts';
import { specMigrationHandlers } from './routes/apps/spec-migration.ts';
import { archivalHandlers } from './routes/archival.ts';
import { botAssignmentHandlers } from './routes/bot-assignment.ts';
import { botGroupsHandlers } from './routes/bot-groups.ts';
import { contextSourcesHandlers } from './routes/context-sources.ts';
import { contextTracesHandlers } from './routes/context-traces.ts';
import { definitionsHandlers } from './routes/definitions/definitions.ts';
import { integrationsHandlers } from './routes/integrations/integrations.ts';
import { integrationsAdminHandlers } from './routes/integrations/integrations-admin.ts';
import { toolsHandlers } from './routes/integrations/tools.ts';
import { interactionsHandlers } from './routes/interactions.ts';

export const routes: readonly Served<Deps>[] = [
  serves(definitionsRouter, definitionsHandlers),
  serves(agentsRouter, agentsHandlers),
  serves(botAssignmentRouter, botAssignmentHandlers),
  serves(botGroupsRouter, botGroupsHandlers),
  serves(interactionsRouter, interactionsHandlers),
  serves(contextSourcesRouter, contextSourcesHandlers),
  serves(contextTracesRouter, contextTracesHandlers),
  serves(toolsRouter, toolsHandlers),
  serves(integrationsRouter, integrationsHandlers),
  serves(integrationsAdminRouter, integrationsAdminHandlers),
  serves(appsAdminRouter, appsAdminHandlers),
  serves(appsRouter, appsHandlers),
  serves(specMigrationRouter, specMigrationHandlers),
  serves(archivalRouter, archivalHandlers),
];
