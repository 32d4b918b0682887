import type { Router } from '@botyard/contracts/http/contract';
import type { marketplaceRoutes } from '@botyard/contracts/http/definitions-marketplace';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { checkDefinitions } from '../domain/health.ts';
import { listMarketplace } from '../domain/marketplace.ts';

/** The part of `/api/definitions` about sharing, and about all kinds together. */
export const marketplaceHandlers: Handlers<Router<typeof marketplaceRoutes>, Deps> = {
  listMarketplace: ({ tenantId, query }, { database }) => listMarketplace(database, tenantId, query),
  getDefinitionsHealth: ({ tenantId }, { database }) => checkDefinitions(database, tenantId),
};
