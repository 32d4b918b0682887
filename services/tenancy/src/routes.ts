import { botsRouter } from '@botyard/shared/contracts/bots';
import { currentUserRouter } from '@botyard/shared/contracts/current-user';
import { tenantRouter } from '@botyard/shared/contracts/tenant';
import { type Served, serves } from '@botyard/shared/service/foundation';
import type { Deps } from './deps.ts';
import { botsHandlers } from './routes/bots.ts';
import { currentUserHandlers } from './routes/current-user.ts';
import { tenantHandlers } from './routes/tenant.ts';

export const routes: readonly Served<Deps>[] = [
  serves(botsRouter, botsHandlers),
  serves(currentUserRouter, currentUserHandlers),
  serves(tenantRouter, tenantHandlers),
];
