import { agentsRouter } from '@botyard/shared/contracts/agents';
import { definitionsRouter } from '@botyard/shared/contracts/definitions';
import { interactionsRouter } from '@botyard/shared/contracts/interactions';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { agentsHandlers } from './routes/agents.ts';
import { definitionsHandlers } from './routes/definitions/definitions.ts';
import { interactionsHandlers } from './routes/interactions.ts';

export const routes: readonly Served<Deps>[] = [
  serves(definitionsRouter, definitionsHandlers),
  serves(agentsRouter, agentsHandlers),
  serves(interactionsRouter, interactionsHandlers),
];
