import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { lockDefinitions } from '../store/definitions.ts';

/**
 * Changes definitions of a tenant, one change at a time, so that references, names and the limit stay valid. @throws
 * HttpError 503 when too many wait.
 */
export function changing<Result>(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  work: (tx: TenantTx) => Promise<Result>,
): Promise<Result> {
  return withTenant(database, [tenantId], async (tx) => {
    await lockDefinitions(tx, tenantId);
    return await work(tx);
  });
}
