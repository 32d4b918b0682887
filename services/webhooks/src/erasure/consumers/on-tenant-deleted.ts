import type { tenantDeleted } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertDeletedTenant } from '@botyard/shared/db/deleted-tenants';
import type { Deps } from '../deps.ts';
import { closeEndpoints } from '../domain/tenant-purge.ts';

/** Refuses deliveries for the tenant's bots from now on; stored data is deleted in batches afterwards. */
export async function onTenantDeleted(
  tx: TenantTx,
  { data }: Received<typeof tenantDeleted>,
  deps: Deps,
): Promise<void> {
  await insertDeletedTenant(tx, 'webhooks', data.tenantId);
  await closeEndpoints(deps, tx, data.tenantId);
  tx.afterCommit(() => deps.tenantPurge.wake());
}
