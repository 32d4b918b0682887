import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { unavailable } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';
import { lockDefinitions } from '../store/definitions.ts';

/** The longest wait for other changes in the tenant, so that a person who saves needn't save again. */
const maxLockWaitMs = 4500;

/**
 * Changes definitions of a tenant, one change at a time, so that references, names and the limit stay valid. @throws
 * HttpError 503 when too many wait.
 */
export async function changing<Result>(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  work: (tx: TenantTx) => Promise<Result>,
): Promise<Result> {
  try {
    return await withTenant(
      database,
      [tenantId],
      async (tx) => {
        await lockDefinitions(tx, tenantId);
        return await work(tx);
      },
      { maxLockWaitMs },
    );
  } catch (error) {
    throw isContention(error)
      ? unavailable('too many changes of the definitions are pending: try again', { cause: error })
      : error;
  }
}
