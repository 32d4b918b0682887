import type { StorageLimit } from '@botyard/contracts/events/storage';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { getStorageUse, lockStorageUse, saveStorageLimit } from '../store/storage.ts';

/**
 * Whether a tenant's mails may take this many more bytes. Rows written afterwards in this transaction count before the
 * next caller's check.
 */
export async function hasRoomFor(
  { mailStorageBytes }: Pick<Deps, 'mailStorageBytes'>,
  tx: TenantTx,
  { tenantId, bytes }: { tenantId: string; bytes: number },
): Promise<boolean> {
  if (bytes === 0) return true;
  const use = await lockStorageUse(tx, tenantId);
  const limit = use.limitBytes ?? mailStorageBytes;
  return limit === null || use.bytes + bytes <= limit;
}

/** The storage that a tenant's mails use, and its limit. Sets the operator's limit first, if given. */
export async function readMailStorage(
  { database, mailStorageBytes }: Pick<Deps, 'database' | 'mailStorageBytes'>,
  { tenantId, ownLimit }: { tenantId: string; ownLimit?: number | null | undefined },
): Promise<StorageLimit> {
  return await withTenant(database, [tenantId], async (tx) => {
    if (ownLimit !== undefined) await saveStorageLimit(tx, tenantId, ownLimit);
    const { bytes, limitBytes } = await getStorageUse(tx, tenantId);
    return {
      limit: limitBytes ?? mailStorageBytes,
      ownLimit: limitBytes,
      defaultLimit: mailStorageBytes,
      used: bytes,
    };
  });
}
