import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { lockTenant, type TenantRow } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';

/**
 * Changes a tenant's permissions, or the people its bots listen to, and announces the change in the same transaction,
 * so that no cached answer survives. A tenant's changes run one after another, so that none exceeds a limit. @throws
 * HttpError 404 if the tenant is deleted.
 */
export async function announcing<Result>(
  { database, outbox }: Pick<Deps, 'database' | 'outbox'>,
  tenantId: string,
  work: (tx: TenantTx, tenant: TenantRow) => Promise<Result>,
): Promise<Result> {
  return await withTenant(database, [tenantId], async (tx) => {
    const tenant = found(await lockTenant(tx, tenantId), 'tenant');
    const result = await work(tx, tenant);
    await outbox.emit(tx, authorizationChanged, { tenantId });
    return result;
  });
}
