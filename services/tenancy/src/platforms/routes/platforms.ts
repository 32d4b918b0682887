import type { platformsRouter } from '@botyard/contracts/http/platforms';
import type { Handlers } from '@botyard/shared/http/mount';
import {
  checkMailDomain,
  createMailDomain,
  deleteMailDomain,
  listMailDomains,
} from '../../mail-domains/domain/mail-domains.ts';
import type { Deps } from '../deps.ts';
import { getHealth, listHealth, requestCheck } from '../domain/integration-health.ts';
import { listPlatformStats } from '../domain/platform-stats.ts';

export const platformsHandlers: Handlers<typeof platformsRouter, Deps> = {
  listPlatforms: ({ tenantId }, deps) => listPlatformStats(deps, tenantId),

  listIntegrationHealth: ({ tenantId, query }, deps) => listHealth(deps, tenantId, query),

  getIntegrationHealth: ({ tenantId, params }, deps) => getHealth(deps, tenantId, params.integrationId),

  listMailDomains: ({ tenantId }, deps) => listMailDomains(deps, tenantId),

  createMailDomain: ({ tenantId, body }, deps) => createMailDomain(deps, tenantId, body.domain),

  checkMailDomain: ({ tenantId, params }, deps) => checkMailDomain(deps, tenantId, params.domain),

  deleteMailDomain: ({ tenantId, params }, deps) => deleteMailDomain(deps, tenantId, params.domain),

  checkIntegration: ({ tenantId, params }, deps) => requestCheck(deps, tenantId, params.integrationId),
};
