import type { tenantDeleted } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertDeletedTenant } from '@botyard/shared/db/deleted-tenants';
import type { Deps } from '../deps.ts';

/** Definitions, bots and messages are deleted with the tenant, in batches after this. */
export async function onTenantDeleted(
  tx: TenantTx,
  { data }: Received<typeof tenantDeleted>,
  { tenantPurge }: Deps,
): Promise<void> {
  await insertDeletedTenant(tx, 'agents', data.tenantId);
  tx.afterCommit(() => tenantPurge.wake());
}
