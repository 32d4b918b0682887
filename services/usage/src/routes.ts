import { usageRouter } from '@botyard/contracts/http/usage';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { usageHandlers } from './routes/usage.ts';

export const routes: readonly Served<Deps>[] = [serves(usageRouter, usageHandlers)];
