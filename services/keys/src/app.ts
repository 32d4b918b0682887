import { providerAddressesOf } from '@botyard/shared/config/provider-addresses';
import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, RuntimeContext } from '@botyard/shared/service/run-service';
import { TenantPurge } from '@botyard/shared/work/tenant-purge';
import { createProviderClient } from './clients/providers.ts';
import type { KeysConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { providersOf } from './domain/providers.ts';
import { createResealer } from './domain/resealer.ts';
import { Validator } from './domain/validator.ts';
import { routes } from './routes.ts';

export async function createApp(config: KeysConfig, runtime: RuntimeContext): Promise<App> {
  const foundation = createFoundation('keys', config, runtime);
  const parts = {
    ...foundation,
    keyring: config.SECRETS_KEYS,
    providers: providersOf(config),
    provider: createProviderClient(
      { ...providerAddressesOf(config), 'private-llm': config.PRIVATE_LLM_BASE_URL },
      config.VALIDATE_TIMEOUT_MS,
    ),
    tenantPurge: new TenantPurge({ ...foundation, schema: 'keys', tables: [{ name: 'keys' }] }),
  };
  const deps: Deps = { ...parts, validator: new Validator(parts) };
  return createDomainApp({
    config,
    deps,
    routes,
    subscriptions,
    onBus: answerRequests,
    workers: [deps.tenantPurge, createResealer(deps)],
  });
}
