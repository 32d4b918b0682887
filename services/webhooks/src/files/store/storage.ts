import type { TenantTx } from '@botyard/shared/db/database';
import { eq } from '@botyard/shared/db/drizzle';
import { storageUse } from '../../store/mail-schema.ts';

interface StorageUse {
  bytes: number;
  /** An operator's limit; `null` means that the setting applies. */
  limitBytes: number | null;
}

export async function getStorageUse(tx: TenantTx, tenantId: string): Promise<StorageUse> {
  const { bytes, limitBytes } = storageUse;
  const [row] = await tx.db
    .select({ bytes, limitBytes })
    .from(storageUse)
    .where(eq(storageUse.tenantId, tenantId));
  return row ?? { bytes: 0, limitBytes: null };
}

/** The same, locked until the transaction ends, so that two transactions can't use the same room. */
export async function lockStorageUse(tx: TenantTx, tenantId: string): Promise<StorageUse> {
  const { bytes, limitBytes } = storageUse;
  const [row] = await tx.db
    .insert(storageUse)
    .values({ tenantId })
    .onConflictDoUpdate({ target: storageUse.tenantId, set: { tenantId } })
    .returning({ bytes, limitBytes });
  return row!;
}

export async function saveStorageLimit(
  tx: TenantTx,
  tenantId: string,
  limitBytes: number | null,
): Promise<void> {
  await tx.db
    .insert(storageUse)
    .values({ tenantId, limitBytes })
    .onConflictDoUpdate({ target: storageUse.tenantId, set: { limitBytes } });
}
