import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../../../deps.ts';
import type { ReadCallback } from '../../domain/read-delivery.ts';
import type { Endpoint } from '../../platform.ts';
import { insertCallback } from '../store/callbacks.ts';

/** A press of a button is to be acknowledged. @throws when the database doesn't answer in time. */
export async function noteCallback(
  deps: Pick<Deps, 'admissionDatabase' | 'wakeCallbacks'>,
  { tenantId, botId }: Endpoint,
  { callbackQueryId }: ReadCallback,
): Promise<void> {
  await withTenant(deps.admissionDatabase, [tenantId], async (tx) => {
    await insertCallback(tx, { tenantId, botId, callbackQueryId });
    tx.afterCommit(deps.wakeCallbacks);
  });
}
