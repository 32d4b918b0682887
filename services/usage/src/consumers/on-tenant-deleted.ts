import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { tenantDeleted } from '@botyard/shared/events/tenancy';
import { deleteCountersOfTenant } from '../store/counters.ts';

/** A tenant's counters go with the tenant. */
export function onTenantDeleted(tx: TenantTx, { data }: Received<typeof tenantDeleted>): Promise<void> {
  return deleteCountersOfTenant(tx, data.tenantId);
}
