import type { PlatformTx } from '@botyard/shared/db/database';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { messengerLogins, messengerProofs } from '../../store/links-schema.ts';

export type MessengerLoginRow = typeof messengerLogins.$inferSelect;

const stored = rowsOf(messengerLogins, 'loginId');

/** Records a signature. Returns `false` when it was used before, even by a concurrent request. */
export async function useProof(tx: PlatformTx, hash: string): Promise<boolean> {
  const rows = await tx.db.insert(messengerProofs).values({ hash }).onConflictDoNothing().returning();
  return rows.length > 0;
}

/** Returns `false` when this sign-in was verified before. */
export async function insertLogin(
  tx: PlatformTx,
  login: Pick<MessengerLoginRow, 'loginId' | 'platformUserId'>,
): Promise<boolean> {
  const rows = await tx.db
    .insert(messengerLogins)
    .values({ ...login, state: 'verified' })
    .onConflictDoNothing()
    .returning({ loginId: messengerLogins.loginId });
  return rows.length > 0;
}

export const getLogin = (tx: PlatformTx, loginId: string) => stored.get(tx, { loginId });

export const countLoginsOf = (tx: PlatformTx, platformUserId: string) => stored.count(tx, { platformUserId });

/**
 * Claims a verified sign-in for one attempt to complete it. Returns `undefined` when another attempt is running, or
 * none is left.
 */
export async function claimLogin(
  tx: PlatformTx,
  loginId: string,
  { attempts, busyMs }: { attempts: number; busyMs: number },
): Promise<MessengerLoginRow | undefined> {
  return await tx.first({
    name: 'tenancy.messenger_logins.claim',
    text: typedSql`update tenancy.messenger_logins set state = 'completing', attempts = attempts + 1,
             busy_until = now() + make_interval(secs => $3)
           where login_id = $1 and attempts < $2
             and (state = 'verified' or (state = 'completing' and busy_until <= now()))
           returning ${columns(messengerLogins)}`,
    values: [loginId, attempts, busyMs / 1000],
  });
}

/** Ends an attempt, unless it took so long that another one has begun. */
export async function settleLogin(
  tx: PlatformTx,
  { loginId, attempts }: Pick<MessengerLoginRow, 'loginId' | 'attempts'>,
  state: 'verified' | 'completed',
): Promise<void> {
  await tx.query({
    name: 'tenancy.messenger_logins.settle',
    text: `update tenancy.messenger_logins set state = $3, busy_until = null
           where login_id = $1 and attempts = $2 and state = 'completing'`,
    values: [loginId, attempts, state],
  });
}

/** Removes rows that are too old to be needed. */
export async function pruneLogins(tx: PlatformTx, olderThanMs: number): Promise<void> {
  for (const [table, column] of [
    ['messenger_logins', 'verified_at'],
    ['messenger_proofs', 'used_at'],
  ]) {
    await tx.query({
      name: `tenancy.${table}.prune`,
      text: `delete from tenancy.${table} where ${column} < now() - make_interval(secs => $1)`,
      values: [olderThanMs / 1000],
    });
  }
}
