import type { PlatformTx } from '@botyard/shared/db/database';
import { and, eq, isNull } from '@botyard/shared/db/drizzle';
import { v7 as uuidv7 } from 'uuid';
import { users } from '../../store/schema.ts';

export type UserRow = typeof users.$inferSelect;

/** Inserts a person at first sight; keeps an existing one, even with concurrent requests. */
export async function insertUser(
  tx: PlatformTx,
  user: { idpUserId: string; email: string | null; name: string | null },
): Promise<void> {
  await tx.db
    .insert(users)
    .values({ userId: uuidv7(), ...user })
    .onConflictDoNothing({ target: users.idpUserId });
}

/** Keeps a person from being deleted until the transaction ends. Returns `false` for a deleted one. */
export async function holdLivingUser(tx: PlatformTx, userId: string): Promise<boolean> {
  const rows = await tx.db
    .select({ userId: users.userId })
    .from(users)
    .where(and(eq(users.userId, userId), isNull(users.deletedAt)))
    .for('share');
  return rows.length > 0;
}

export async function getUserByIdpId(tx: PlatformTx, idpUserId: string): Promise<UserRow | undefined> {
  const rows = await tx.db
    .select()
    .from(users)
    .where(and(eq(users.idpUserId, idpUserId), isNull(users.deletedAt)));
  return rows[0];
}
