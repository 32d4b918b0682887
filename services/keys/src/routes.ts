import { keysRouter } from '@botyard/contracts/http/keys';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { keysHandlers } from './routes/keys.ts';

export const routes: readonly Served<Deps>[] = [serves(keysRouter, keysHandlers)];
