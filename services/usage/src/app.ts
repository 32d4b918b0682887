import { createDomainApp, createFoundation } from '@botyard/shared/service/foundation';
import type { App, RuntimeContext } from '@botyard/shared/service/run-service';
import { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { UsageConfig } from './config.ts';
import { answerRequests, subscriptions } from './consumers.ts';
import type { Deps } from './deps.ts';
import { readPrices } from './domain/prices.ts';
import { createHousekeeping } from './domain/reserve.ts';
import { routes } from './routes.ts';

/** Tables whose rows go with a deleted tenant. */
const tables = [
  ...['quotas', 'reservations', 'quota_use', 'quota_warnings', 'counters', 'log_entries'],
  ...['allowances', 'allowance_use'],
];

/** `now` is a different clock in tests. @throws ConfigError when the table of prices can't be read. */
export async function createApp(
  config: UsageConfig,
  runtime: RuntimeContext,
  { now = () => new Date() }: { now?: () => Date } = {},
): Promise<App> {
  const costOf = await readPrices(config.PRICES_FILE);
  const foundation = createFoundation('usage', config, runtime);
  const deps: Deps = {
    ...foundation,
    costOf,
    now,
    allowances: { public: config.PLATFORM_KEY_MONTHLY_TOKENS, private: config.PRIVATE_LLM_MONTHLY_TOKENS },
    tenantPurge: new TenantPurge({
      ...foundation,
      schema: 'usage',
      tables: tables.map((name) => ({ name })),
    }),
  };
  return createDomainApp({
    config,
    deps,
    routes,
    subscriptions,
    onBus: answerRequests,
    workers: [deps.tenantPurge, createHousekeeping(foundation)],
  });
}
