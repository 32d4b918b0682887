import type { PlatformTx } from '@botyard/shared/db/database';
import { eq } from '@botyard/shared/db/drizzle';
import { lookupKeys } from '../../store/schema.ts';

/** Stores the key unless the purpose already has one, and returns the stored key. */
export async function getOrInsertLookupKey(
  tx: PlatformTx,
  purpose: string,
  sealedKey: string,
): Promise<string> {
  await tx.db.insert(lookupKeys).values({ purpose, sealedKey }).onConflictDoNothing();
  const [row] = await tx.db.select().from(lookupKeys).where(eq(lookupKeys.purpose, purpose));
  return row!.sealedKey;
}
