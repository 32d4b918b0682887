import type { tenantDeleted } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertDeletedTenant } from '@botyard/shared/db/deleted-tenants';
import type { Deps } from '../deps.ts';
import { deleteKeysOfTenant } from '../store/keys.ts';

/** Deletes a tenant's keys with the tenant; the purge removes a key that is being stored at the same time. */
export async function onTenantDeleted(
  tx: TenantTx,
  { data }: Received<typeof tenantDeleted>,
  { tenantPurge }: Deps,
): Promise<void> {
  await insertDeletedTenant(tx, 'keys', data.tenantId);
  await deleteKeysOfTenant(tx, data.tenantId);
  tx.afterCommit(() => tenantPurge.wake());
}
