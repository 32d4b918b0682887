import { agentsRouter } from '@botyard/shared/contracts/agents';
import { botAssignmentRouter } from '@botyard/shared/contracts/bot-assignment';
import { botGroupsRouter } from '@botyard/shared/contracts/bot-groups';
import { contextSourcesRouter } from '@botyard/shared/contracts/context-sources';
import { contextTracesRouter } from '@botyard/shared/contracts/context-traces';
import { definitionsRouter } from '@botyard/shared/contracts/definitions';
import { interactionsRouter } from '@botyard/shared/contracts/interactions';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { agentsHandlers } from './routes/agents.ts';
import { botAssignmentHandlers } from './routes/bot-assignment.ts';
import { botGroupsHandlers } from './routes/bot-groups.ts';
import { contextSourcesHandlers } from './routes/context-sources.ts';
import { contextTracesHandlers } from './routes/context-traces.ts';
import { definitionsHandlers } from './routes/definitions/definitions.ts';
import { interactionsHandlers } from './routes/interactions.ts';

export const routes: readonly Served<Deps>[] = [
  serves(definitionsRouter, definitionsHandlers),
  serves(agentsRouter, agentsHandlers),
  serves(botAssignmentRouter, botAssignmentHandlers),
  serves(botGroupsRouter, botGroupsHandlers),
  serves(interactionsRouter, interactionsHandlers),
  serves(contextSourcesRouter, contextSourcesHandlers),
  serves(contextTracesRouter, contextTracesHandlers),
];
