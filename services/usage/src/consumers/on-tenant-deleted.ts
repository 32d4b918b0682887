import type { tenantDeleted } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertDeletedTenant } from '@botyard/shared/db/deleted-tenants';
import type { Deps } from '../deps.ts';
import { deleteAllowanceOfTenant } from '../store/allowances.ts';
import { deleteCountersOfTenant } from '../store/counters.ts';
import { deleteQuotaOfTenant } from '../store/quotas.ts';

/**
 * Deletes a tenant's counters and quota with the tenant. The purge deletes the log, and usage that is being counted at
 * the same time.
 */
export async function onTenantDeleted(
  tx: TenantTx,
  { data }: Received<typeof tenantDeleted>,
  { tenantPurge }: Deps,
): Promise<void> {
  await insertDeletedTenant(tx, 'usage', data.tenantId);
  await deleteQuotaOfTenant(tx, data.tenantId);
  await deleteAllowanceOfTenant(tx, data.tenantId);
  await deleteCountersOfTenant(tx, data.tenantId);
  tx.afterCommit(() => tenantPurge.wake());
}
