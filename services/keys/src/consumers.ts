import { keyFailed } from '@botyard/contracts/events/agents';
import { countKeys, findKeyIn, resolveKey } from '@botyard/contracts/events/keys';
import { tenantDeleted } from '@botyard/contracts/events/tenancy';
import { on, type Subscription } from '@botyard/shared/bus/consumer';
import { answer } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { onKeyFailed } from './consumers/on-key-failed.ts';
import { onTenantDeleted } from './consumers/on-tenant-deleted.ts';
import type { Deps } from './deps.ts';
import { isKeyIn } from './domain/find-key-in.ts';
import { handOverKey } from './domain/resolve-provider-key.ts';
import { countKeysOf } from './store/keys.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  on(keyFailed, onKeyFailed),
];

export function answerRequests(deps: Deps): void {
  answer(deps.bus, countKeys, async ({ tenantIds }) => ({
    tenants: await withTenant(deps.database, tenantIds, (tx) => countKeysOf(tx, tenantIds)),
  }));
  answer(deps.bus, findKeyIn, async (searched) => ({ isFound: await isKeyIn(deps, searched) }));
  answer(deps.bus, resolveKey, ({ recipient, ...wanted }) => handOverKey(deps, wanted, recipient));
}
