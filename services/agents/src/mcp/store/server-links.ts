import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, gt, isNotNull, sql } from '@botyard/shared/db/drizzle';
import { serverLinks } from '../../store/server-grants-schema.ts';
import { ofPeople, type People } from './server-grants.ts';
import type { ServerKey } from './servers.ts';

export type LinkRow = typeof serverLinks.$inferSelect;
type LinkKey = Pick<LinkRow, 'tenantId' | 'linkId'>;
type PersonKey = Pick<LinkRow, 'tenantId' | 'personId'>;

const isAlive = gt(serverLinks.expiresAt, sql`now()`);
const endsIn = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;
const isLink = ({ tenantId, linkId }: LinkKey) =>
  and(eq(serverLinks.tenantId, tenantId), eq(serverLinks.linkId, linkId), isAlive);
const ofServer = ({ tenantId, serverId }: ServerKey) =>
  and(eq(serverLinks.tenantId, tenantId), eq(serverLinks.serverId, serverId));
const ofPerson = ({ tenantId, personId }: PersonKey) =>
  and(eq(serverLinks.tenantId, tenantId), eq(serverLinks.personId, personId));

type NewLink = Pick<
  LinkRow,
  | 'tenantId'
  | 'linkId'
  | 'serverId'
  | 'personId'
  | 'platform'
  | 'platformUserId'
  | 'personName'
  | 'botId'
  | 'tokenHash'
>;

/**
 * Stores a link. The person's former link to the server ends; it is returned, so that its tokens can be revoked. When
 * two links are made at the same time, the later one stays.
 */
export async function putLink(tx: TenantTx, link: NewLink, seconds: number): Promise<LinkRow[]> {
  const former = await tx.db
    .delete(serverLinks)
    .where(and(ofPerson(link), eq(serverLinks.serverId, link.serverId)))
    .returning();
  const row = { ...link, expiresAt: endsIn(seconds) };
  await tx.db
    .insert(serverLinks)
    .values(row)
    .onConflictDoUpdate({
      target: [serverLinks.tenantId, serverLinks.serverId, serverLinks.personId],
      set: row,
    });
  return former;
}

/** The link that nobody has opened. Its secret names it across tenants. */
export async function findUnopened(tx: PlatformTx, tokenHash: string): Promise<LinkRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(serverLinks)
    .where(and(eq(serverLinks.tokenHash, tokenHash), isAlive));
  return row;
}

/** Opens a link, which works once: only one request gets it. */
export async function openLink(tx: PlatformTx, tokenHash: string): Promise<LinkRow | undefined> {
  const [row] = await tx.db
    .update(serverLinks)
    .set({ tokenHash: null })
    .where(and(eq(serverLinks.tokenHash, tokenHash), isAlive))
    .returning();
  return row;
}

/** The link, for as long as it is alive. */
export async function getLink(tx: TenantTx, key: LinkKey): Promise<LinkRow | undefined> {
  const [row] = await tx.db.select().from(serverLinks).where(isLink(key));
  return row;
}

/** Keeps what was signed in until the person confirms it. Returns `false` if the link has ended. */
export async function keepSignedIn(
  tx: TenantTx,
  key: LinkKey,
  signedIn: Pick<
    LinkRow,
    'codeHash' | 'grantId' | 'issuer' | 'url' | 'sealedGrant' | 'grantExpiresAt' | 'grantRenewAt'
  >,
  seconds: number,
): Promise<boolean> {
  const rows = await tx.db
    .update(serverLinks)
    .set({ ...signedIn, expiresAt: endsIn(seconds) })
    .where(isLink(key))
    .returning({ linkId: serverLinks.linkId });
  return rows.length === 1;
}

/** The sign-ins of a person that wait for their code, or were confirmed by it just now, locked. */
export const lockSignedIn = (tx: TenantTx, person: PersonKey): Promise<LinkRow[]> =>
  tx.db
    .select()
    .from(serverLinks)
    .where(and(ofPerson(person), isAlive, isNotNull(serverLinks.codeHash)))
    .orderBy(serverLinks.linkId)
    .for('update');

export async function countWrongCode(tx: TenantTx, person: PersonKey): Promise<void> {
  const wrongCodes = sql`${serverLinks.wrongCodes} + 1`;
  await tx.db.update(serverLinks).set({ wrongCodes }).where(ofPerson(person));
}

/** Ends a link whose grant was stored elsewhere. Its code is kept, so that a command that is read twice is answered. */
export async function endConfirmed(tx: TenantTx, { tenantId, linkId }: LinkKey): Promise<void> {
  await tx.db
    .update(serverLinks)
    .set({ sealedGrant: null })
    .where(and(eq(serverLinks.tenantId, tenantId), eq(serverLinks.linkId, linkId)));
}

/** Returns what was removed, so that its tokens can be revoked. */
export const removeLinksOfServer = (tx: TenantTx, key: ServerKey): Promise<LinkRow[]> =>
  tx.db.delete(serverLinks).where(ofServer(key)).returning();

export const removeLinksOfPerson = (tx: TenantTx, person: PersonKey): Promise<LinkRow[]> =>
  tx.db.delete(serverLinks).where(ofPerson(person)).returning();

export const removeLinksOfPeople = (tx: TenantTx, people: People): Promise<LinkRow[]> =>
  tx.db.delete(serverLinks).where(ofPeople(serverLinks, people)).returning();

const maxEndedAtOnce = 100;

/** Removes links that have ended, some at a time. Returns them, so that their tokens can be revoked. */
export const removeEndedLinks = (tx: PlatformTx): Promise<LinkRow[]> =>
  tx.db
    .delete(serverLinks)
    .where(
      sql`(${serverLinks.tenantId}, ${serverLinks.linkId}) in (
        select tenant_id, link_id from agents.server_links where expires_at < now() limit ${maxEndedAtOnce})`,
    )
    .returning();
