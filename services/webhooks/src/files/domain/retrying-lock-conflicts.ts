import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isLockConflict } from '@botyard/shared/db/failures';

/** All tries, with their waits for a lock, take less time than a delivery has for its answer (P4). */
const maxTries = 3;

/**
 * Runs a tenant's transaction, and retries it when a lock conflict rolled it back. A burst of one tenant's deliveries
 * therefore waits instead of being refused. @throws the errors of `work`, and the lock's error after the last try.
 */
export async function retryingLockConflicts<Result>(
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
