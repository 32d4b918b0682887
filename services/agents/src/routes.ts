import { agentsRouter } from '@botyard/shared/contracts/agents';
import { contextSourcesRouter } from '@botyard/shared/contracts/context-sources';
import { contextTracesRouter } from '@botyard/shared/contracts/context-traces';
import { definitionsRouter } from '@botyard/shared/contracts/definitions';
import { interactionsRouter } from '@botyard/shared/contracts/interactions';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { agentsHandlers } from './routes/agents.ts';
import { contextSourcesHandlers } from './routes/context-sources.ts';
import { contextTracesHandlers } from './routes/context-traces.ts';
import { definitionsHandlers } from './routes/definitions/definitions.ts';
import { interactionsHandlers } from './routes/interactions.ts';

export const routes: readonly Served<Deps>[] = [
  serves(definitionsRouter, definitionsHandlers),
  serves(agentsRouter, agentsHandlers),
  serves(interactionsRouter, interactionsHandlers),
  serves(contextSourcesRouter, contextSourcesHandlers),
  serves(contextTracesRouter, contextTracesHandlers),
];
