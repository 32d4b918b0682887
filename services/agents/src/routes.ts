import { agentsRouter } from '@botyard/contracts/http/agents';
import { appsRouter } from '@botyard/contracts/http/apps';
import { appsAdminRouter } from '@botyard/contracts/http/apps-admin';
import { archivalRouter } from '@botyard/contracts/http/archival';
import { botAssignmentRouter } from '@botyard/contracts/http/bot-assignment';
import { botGroupsRouter } from '@botyard/contracts/http/bot-groups';
import { contextSourcesRouter } from '@botyard/contracts/http/context-sources';
import { contextTracesRouter } from '@botyard/contracts/http/context-traces';
import { definitionsRouter } from '@botyard/contracts/http/definitions';
import { integrationsRouter } from '@botyard/contracts/http/integrations';
import { integrationsAdminRouter } from '@botyard/contracts/http/integrations-admin';
import { interactionsRouter } from '@botyard/contracts/http/interactions';
import { specMigrationRouter } from '@botyard/contracts/http/spec-migration';
import { toolsRouter } from '@botyard/contracts/http/tools';
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
