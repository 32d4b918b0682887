import { keyInvalidated } from '@botyard/contracts/events/keys';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { type KeyRow, saveInvalid } from '../store/keys.ts';

/**
 * Marks a key invalid and, if it was active, announces that in the same transaction: from the commit on it is no longer
 * chosen. A provider's refusal doesn't override a person's decision. The caller holds the row's lock.
 */
export async function markInvalid(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  row: KeyRow,
  by: 'person' | 'provider',
): Promise<KeyRow> {
  const isSettled = row.status === 'invalid' && (by === 'provider' || row.invalidatedBy === 'person');
  if (isSettled) return row;
  const marked = await saveInvalid(tx, row, by);
  if (row.status === 'active') {
    const { tenantId, keyId, provider, scopeType, scopeId, invalidatedAt } = marked;
    await outbox.emit(tx, keyInvalidated, {
      tenantId,
      keyId,
      provider,
      scopeType,
      scopeId,
      reason: by,
      invalidatedAt: invalidatedAt!.toISOString(),
    });
  }
  return marked;
}
