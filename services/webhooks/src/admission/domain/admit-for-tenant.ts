import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isLockConflict } from '@botyard/shared/db/failures';

/** The tries and their waits for a lock take less time than a delivery has for its answer (P4). */
const maxTries = 3;

/**
 * A transaction of a tenant that begins again where it gave way to another one: nothing of it was done. So a burst of
 * one tenant's deliveries waits for its turn instead of being refused. @throws what `work` throws, and the lock's error
 * after the last try.
 */
export async function admitForTenant<Result>(
  database: Database,
  tenantId: string,
  work: (tx: TenantTx) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await withTenant(database, [tenantId], work);
    } catch (error) {
      if (!isLockConflict(error) || tries === maxTries) throw error;
    }
  }
}
