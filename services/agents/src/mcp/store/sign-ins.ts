import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, gt, lt, sql } from '@botyard/shared/db/drizzle';
import { serverSignIns } from '../../store/server-grants-schema.ts';
import type { ServerKey } from './servers.ts';

export type SignInRow = typeof serverSignIns.$inferSelect;

/** Stores a sign-in that has begun. Returns when it ends. */
export async function insertSignIn(
  tx: TenantTx,
  { seconds, ...signIn }: Omit<SignInRow, 'expiresAt'> & { seconds: number },
): Promise<Date> {
  const expiresAt = sql`now() + make_interval(secs => ${seconds})`;
  const [row] = await tx.db
    .insert(serverSignIns)
    .values({ ...signIn, expiresAt })
    .returning({ expiresAt: serverSignIns.expiresAt });
  return row!.expiresAt;
}

/**
 * Takes a sign-in, which ends it: only one request gets it. Its state names it across tenants. Another browser ends
 * nothing.
 */
export async function takeSignIn(
  tx: PlatformTx,
  { stateHash, browserHash }: Pick<SignInRow, 'stateHash' | 'browserHash'>,
): Promise<SignInRow | undefined> {
  const [row] = await tx.db
    .delete(serverSignIns)
    .where(
      and(
        eq(serverSignIns.stateHash, stateHash),
        eq(serverSignIns.browserHash, browserHash),
        gt(serverSignIns.expiresAt, sql`now()`),
      ),
    )
    .returning();
  return row;
}

/** Ends the sign-ins of a server that has changed. */
export async function removeSignIns(tx: TenantTx, { tenantId, serverId }: ServerKey): Promise<void> {
  await tx.db
    .delete(serverSignIns)
    .where(and(eq(serverSignIns.tenantId, tenantId), eq(serverSignIns.serverId, serverId)));
}

export async function removeEndedSignIns(tx: PlatformTx): Promise<void> {
  await tx.db.delete(serverSignIns).where(lt(serverSignIns.expiresAt, sql`now()`));
}
