import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { Deps } from '../../deps.ts';
import { lockTenant, type TenantRow } from '../../store/tenants.ts';

/**
 * Changes permissions in a tenant, or whom its bots hear, and announces it with the commit, so that no cached answer
 * survives. A tenant's changes happen one after another, so that none exceeds a limit. @throws HttpError 404 when the
 * tenant is gone.
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
