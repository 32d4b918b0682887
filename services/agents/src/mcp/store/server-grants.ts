import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull, lt, or, sql } from '@botyard/shared/db/drizzle';
import { serverGrants } from '../../store/server-grants-schema.ts';
import type { ServerKey } from './servers.ts';

export type GrantRow = typeof serverGrants.$inferSelect;

const ofServer = ({ tenantId, serverId }: ServerKey) =>
  and(eq(serverGrants.tenantId, tenantId), eq(serverGrants.serverId, serverId));

export async function getGrant(tx: TenantTx, key: ServerKey): Promise<GrantRow | undefined> {
  const [row] = await tx.db.select().from(serverGrants).where(ofServer(key));
  return row;
}

/** Replaces the grant of a server. */
export async function putGrantRow(tx: TenantTx, row: GrantRow): Promise<void> {
  await removeGrant(tx, row);
  await tx.db.insert(serverGrants).values(row);
}

/** Returns what was removed, so that it can be revoked. */
export async function removeGrant(tx: TenantTx, key: ServerKey): Promise<GrantRow | undefined> {
  const [row] = await tx.db.delete(serverGrants).where(ofServer(key)).returning();
  return row;
}

/** This grant, as it was read: a sign-in or a renewal since has replaced it. */
const isUnchanged = ({ tenantId, grantId, sealedGrant }: GrantRow) =>
  and(
    eq(serverGrants.tenantId, tenantId),
    eq(serverGrants.grantId, grantId),
    eq(serverGrants.sealedGrant, sealedGrant),
  );

const leaseSeconds = 30;

/** Takes the renewal of a grant: one process has it, until it is done or gone for half a minute. */
export async function claimRenewal(tx: TenantTx, row: GrantRow): Promise<boolean> {
  const isFree = or(isNull(serverGrants.renewingUntil), lt(serverGrants.renewingUntil, sql`now()`));
  const claimed = await tx.db
    .update(serverGrants)
    .set({ renewingUntil: sql`now() + make_interval(secs => ${leaseSeconds})` })
    .where(and(isUnchanged(row), isFree))
    .returning({ grantId: serverGrants.grantId });
  return claimed.length === 1;
}

/** Ends a renewal that failed: the next call may try again. */
export async function releaseRenewal(tx: TenantTx, row: GrantRow): Promise<void> {
  await tx.db.update(serverGrants).set({ renewingUntil: null }).where(isUnchanged(row));
}

/** Stores renewed tokens, unless the grant was replaced meanwhile. */
export async function replaceTokens(
  tx: TenantTx,
  row: GrantRow,
  renewed: Pick<GrantRow, 'sealedGrant' | 'expiresAt' | 'renewAt' | 'updatedAt'>,
): Promise<void> {
  await tx.db
    .update(serverGrants)
    .set({ ...renewed, renewingUntil: null })
    .where(isUnchanged(row));
}

/** Removes a grant that was refused. Returns whether it was still the server's. */
export async function removeRefused(tx: TenantTx, row: GrantRow): Promise<boolean> {
  const removed = await tx.db
    .delete(serverGrants)
    .where(isUnchanged(row))
    .returning({ grantId: serverGrants.grantId });
  return removed.length === 1;
}
