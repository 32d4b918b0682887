import type { PlatformTx } from '@botyard/shared/db/database';
import { eq } from '@botyard/shared/db/drizzle';
import { lookupKeys } from '../../store/schema.ts';

/** Keeps the first key that was ever given for this purpose, and returns the kept one. */
export async function getOrInsertLookupKey(
  tx: PlatformTx,
  purpose: string,
  sealedKey: string,
): Promise<string> {
  await tx.db.insert(lookupKeys).values({ purpose, sealedKey }).onConflictDoNothing();
  const [row] = await tx.db.select().from(lookupKeys).where(eq(lookupKeys.purpose, purpose));
  return row!.sealedKey;
}
