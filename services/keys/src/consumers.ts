import { on, type Subscription } from '@botyard/shared/bus/consumer';
import { answer } from '@botyard/shared/bus/requests';
import { keyFailed } from '@botyard/shared/events/agents';
import { resolveKey } from '@botyard/shared/events/keys';
import { tenantDeleted } from '@botyard/shared/events/tenancy';
import { onKeyFailed } from './consumers/on-key-failed.ts';
import { onTenantDeleted } from './consumers/on-tenant-deleted.ts';
import type { Deps } from './deps.ts';
import { handOverKey } from './domain/hand-over-key.ts';

export const subscriptions: readonly Subscription<Deps>[] = [
  on(tenantDeleted, onTenantDeleted),
  on(keyFailed, onKeyFailed),
];

export function answerRequests(deps: Deps): void {
  answer(deps.bus, resolveKey, ({ recipient, ...wanted }) => handOverKey(deps, wanted, recipient));
}
