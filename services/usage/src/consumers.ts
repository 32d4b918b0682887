import { on, onBatch, type Subscription } from '@botyard/shared/bus/consumer';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { answer } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { turnCompleted } from '@botyard/shared/events/agents';
import { tenantDeleted } from '@botyard/shared/events/tenancy';
import { reserveQuota, sumBotDays } from '@botyard/shared/events/usage';
import { onTenantDeleted } from './consumers/on-tenant-deleted.ts';
import { onTurnCompleted } from './consumers/on-turn-completed.ts';
import type { Deps } from './deps.ts';
import { reserve } from './domain/reserve.ts';
import { listTokensOfDays } from './store/counters.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  ...ofLivingTenants('usage', [onBatch(turnCompleted, onTurnCompleted)]),
];

export function answerRequests(deps: Deps): void {
  const { bus, database } = deps;
  answer(bus, reserveQuota, (wanted) => reserve(deps, wanted));
  answer(bus, sumBotDays, async (wanted) => ({
    days: await withTenant(database, [wanted.tenantId], (tx) => listTokensOfDays(tx, wanted)),
  }));
}
