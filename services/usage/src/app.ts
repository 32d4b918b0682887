import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, Surroundings } from '@botyard/shared/service/run-service';
import type { UsageConfig } from './config.ts';
import { subscriptions } from './consumers.ts';
import { routes } from './routes.ts';

export async function createApp(config: UsageConfig, surroundings: Surroundings): Promise<App> {
  const deps = createFoundation('usage', config, surroundings);
  return createDomainApp({ config, deps, routes, subscriptions });
}
