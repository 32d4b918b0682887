import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, Surroundings } from '@botyard/shared/service/run-service';
import type { UsageConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { createTenantPurge } from './domain/tenant-purge.ts';
import { routes } from './routes.ts';

export async function createApp(config: UsageConfig, surroundings: Surroundings): Promise<App> {
  const foundation = createFoundation('usage', config, surroundings);
  const deps: Deps = { ...foundation, tenantPurge: createTenantPurge(foundation) };
  return createDomainApp({
    config,
    deps,
    routes,
    subscriptions,
    onBus: answerRequests,
    workers: [deps.tenantPurge],
  });
}
