import type { tenantDeleted } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertDeletedTenant } from '@botyard/shared/db/deleted-tenants';
import type { Deps } from '../deps.ts';
import { deleteAllowanceOfTenant } from '../store/allowances.ts';
import { deleteCountersOfTenant } from '../store/counters.ts';
import { deleteQuotaOfTenant } from '../store/quotas.ts';

/**
 * A tenant's counters and quota are deleted with the tenant; the log, and usage being counted right now, is left to the
 * purge.
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
