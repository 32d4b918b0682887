import type { platformsRouter } from '@botyard/shared/contracts/platforms';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { getHealth, listHealth, requestCheck } from '../../domain/platforms/integration-health.ts';
import { listPlatformStats } from '../../domain/platforms/platform-stats.ts';

export const platformsHandlers: Handlers<typeof platformsRouter, Deps> = {
  listPlatforms: ({ tenantId }, deps) => listPlatformStats(deps, tenantId),

  listIntegrationHealth: ({ tenantId, query }, deps) => listHealth(deps, tenantId, query),

  getIntegrationHealth: ({ tenantId, params }, deps) => getHealth(deps, tenantId, params.integrationId),

  checkIntegration: ({ tenantId, params }, deps) => requestCheck(deps, tenantId, params.integrationId),
};
