import type { PlatformTx } from '@botyard/shared/db/database';
import { eq } from '@botyard/shared/db/drizzle';
import { whatsappNumbers } from '../../../store/whatsapp-schema.ts';

type NumberRow = typeof whatsappNumbers.$inferSelect;

export async function saveNumber(tx: PlatformTx, number: NumberRow): Promise<void> {
  const { phoneNumberId, ...change } = number;
  await tx.db
    .insert(whatsappNumbers)
    .values({ phoneNumberId, ...change })
    .onConflictDoUpdate({ target: whatsappNumbers.phoneNumberId, set: change });
}

export async function deleteNumber(tx: PlatformTx, phoneNumberId: string): Promise<void> {
  await tx.db.delete(whatsappNumbers).where(eq(whatsappNumbers.phoneNumberId, phoneNumberId));
}

/** The numbers of an account that are connected here. */
export const listNumbers = (tx: PlatformTx, businessAccountId: string): Promise<NumberRow[]> =>
  tx.db.select().from(whatsappNumbers).where(eq(whatsappNumbers.businessAccountId, businessAccountId));
