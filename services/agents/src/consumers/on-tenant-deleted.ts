import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { buryTenant } from '@botyard/shared/db/deleted-tenants';
import type { tenantDeleted } from '@botyard/shared/events/tenancy';
import type { Deps } from '../deps.ts';

/** Definitions, bots and everything that was said go with the tenant, in bites after this. */
export async function onTenantDeleted(
  tx: TenantTx,
  { data }: Received<typeof tenantDeleted>,
  { tenantPurge }: Deps,
): Promise<void> {
  await buryTenant(tx, 'agents', data.tenantId);
  tx.afterCommit(() => tenantPurge.wake());
}
