import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { tenantDeleted } from '@botyard/shared/events/tenancy';
import { deleteKeysOfTenant } from '../store/keys.ts';

/** A tenant's keys go with the tenant. */
export function onTenantDeleted(tx: TenantTx, { data }: Received<typeof tenantDeleted>): Promise<void> {
  return deleteKeysOfTenant(tx, data.tenantId);
}
