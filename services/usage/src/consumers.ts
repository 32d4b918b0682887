import { on, onBatch, type Subscription } from '@botyard/shared/bus/consumer';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { turnCompleted } from '@botyard/shared/events/agents';
import { tenantDeleted } from '@botyard/shared/events/tenancy';
import { onTenantDeleted } from './consumers/on-tenant-deleted.ts';
import { onTurnCompleted } from './consumers/on-turn-completed.ts';
import type { Deps } from './deps.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  ...ofLivingTenants('usage', [onBatch(turnCompleted, onTurnCompleted)]),
];
