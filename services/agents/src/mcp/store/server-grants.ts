import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, eq, inArray, isNotNull, isNull, lt, or, sql } from '@botyard/shared/db/drizzle';
import { serverGrants, type serverLinks } from '../../store/server-grants-schema.ts';
import type { ServerKey } from './servers.ts';

export type GrantRow = typeof serverGrants.$inferSelect;

/** People, by their identifiers and by their accounts at platforms. */
export interface People {
  tenantId: string;
  personIds: readonly string[];
  accounts: readonly Account[];
}

/** The rows of people, by their identifiers or by their accounts. */
export const ofPeople = (
  table: typeof serverGrants | typeof serverLinks,
  { tenantId, personIds, accounts }: People,
) =>
  and(
    eq(table.tenantId, tenantId),
    or(
      inArray(table.personId, [...personIds]),
      ...accounts.map(({ platform, platformUserId }) =>
        and(eq(table.platform, platform), eq(table.platformUserId, platformUserId)),
      ),
    ),
  );

/** One grant: the admin's, or that of a person with an account of their own. */
type GrantKey = ServerKey & Pick<GrantRow, 'personId'>;

const ofServer = ({ tenantId, serverId }: ServerKey) =>
  and(eq(serverGrants.tenantId, tenantId), eq(serverGrants.serverId, serverId));

const isOf = (key: GrantKey) =>
  and(
    ofServer(key),
    key.personId === null ? isNull(serverGrants.personId) : eq(serverGrants.personId, key.personId),
  );

export async function getGrant(tx: TenantTx, key: GrantKey): Promise<GrantRow | undefined> {
  const [row] = await tx.db.select().from(serverGrants).where(isOf(key));
  return row;
}

/** Replaces a grant. Returns the former one, so that it can be revoked. */
export async function putGrantRow(tx: TenantTx, row: GrantRow): Promise<GrantRow | undefined> {
  const former = await removeGrant(tx, row);
  await tx.db.insert(serverGrants).values(row);
  return former;
}

/** Returns what was removed, so that it can be revoked. */
export async function removeGrant(tx: TenantTx, key: GrantKey): Promise<GrantRow | undefined> {
  const [row] = await tx.db.delete(serverGrants).where(isOf(key)).returning();
  return row;
}

/** Removes the grants of a server, those of people too. */
export const removeGrants = (tx: TenantTx, key: ServerKey): Promise<GrantRow[]> =>
  tx.db.delete(serverGrants).where(ofServer(key)).returning();

export const removeGrantsOfPeople = (tx: TenantTx, people: People): Promise<GrantRow[]> =>
  tx.db.delete(serverGrants).where(ofPeople(serverGrants, people)).returning();

/** Removes all grants of a person. */
export const removeGrantsOfPerson = (
  tx: TenantTx,
  { tenantId, personId }: { tenantId: string; personId: string },
): Promise<GrantRow[]> =>
  tx.db
    .delete(serverGrants)
    .where(and(eq(serverGrants.tenantId, tenantId), eq(serverGrants.personId, personId)))
    .returning();

/** The people who have connected an account of theirs, by name. */
export const listPersonalGrants = (tx: TenantTx, key: ServerKey): Promise<GrantRow[]> =>
  tx.db
    .select()
    .from(serverGrants)
    .where(and(ofServer(key), isNotNull(serverGrants.personId)))
    .orderBy(asc(serverGrants.personName), asc(serverGrants.grantId));

export const countPersonalGrants = (tx: TenantTx, key: ServerKey): Promise<number> =>
  tx.db.$count(serverGrants, and(ofServer(key), isNotNull(serverGrants.personId)));

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
