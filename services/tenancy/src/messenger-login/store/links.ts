import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformTx } from '@botyard/shared/db/database';
import { alias, and, desc, eq, inArray, isNotNull, sql } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import { identityLinks } from '../../store/links-schema.ts';
import { memberships, users } from '../../store/schema.ts';

export type IdentityLinkRow = typeof identityLinks.$inferSelect;
export type Account = Pick<IdentityLinkRow, 'platform' | 'platformUserId'>;

const stored = rowsOf(identityLinks, 'linkId');

/** Locks a person, so that their links can be counted. Returns `false` for a deleted one. */
export async function lockLivingPerson(tx: PlatformTx, userId: string): Promise<boolean> {
  const [row] = await tx.db.select().from(users).where(eq(users.userId, userId)).for('update');
  return row !== undefined && row.deletedAt === null;
}

export const countLinksOf = (tx: PlatformTx, userId: string) => stored.count(tx, { userId });

/** @throws HttpError 409 when the account is already linked, without revealing to whom. */
export async function insertLink(
  tx: PlatformTx,
  link: Omit<IdentityLinkRow, 'createdAt'>,
): Promise<IdentityLinkRow> {
  const [row] = await translated(tx.db.insert(identityLinks).values(link).returning(), {
    identity_links_one_owner: (cause) =>
      conflict('this account is already linked: its owner has to unlink it first', {
        cause,
      }),
  });
  return row!;
}

export async function listLinksOf(tx: PlatformTx, userId: string): Promise<IdentityLinkRow[]> {
  return await tx.db
    .select()
    .from(identityLinks)
    .where(eq(identityLinks.userId, userId))
    .orderBy(desc(identityLinks.linkId));
}

/** Links of the people who have visited a tenant, newest first, one more than the page's limit. */
export async function listLinksInTenant(
  tx: PlatformTx,
  tenantId: string,
  {
    userId,
    platform,
    ...page
  }: PageRequest & { userId?: string | undefined; platform?: Account['platform'] | undefined },
): Promise<IdentityLinkRow[]> {
  const people = tx.db
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.tenantId, tenantId), isNotNull(memberships.visitedAt)));
  return await stored.list(tx, { userId, platform }, page, inArray(identityLinks.userId, people));
}

/** Deletes a link. With `userId`, only a link of this person. */
export async function deleteLink(
  tx: PlatformTx,
  linkId: string,
  userId: string | undefined,
): Promise<IdentityLinkRow | undefined> {
  const [row] = await tx.db
    .delete(identityLinks)
    .where(
      and(
        eq(identityLinks.linkId, linkId),
        userId === undefined ? undefined : eq(identityLinks.userId, userId),
      ),
    )
    .returning();
  return row;
}

/** Deletes links of deleted people, so that others can link the accounts. */
export async function deleteLinksOfPeople(tx: PlatformTx, idpUserIds: readonly string[]): Promise<void> {
  const gone = tx.db
    .select({ userId: users.userId })
    .from(users)
    .where(inArray(users.idpUserId, [...idpUserIds]));
  await tx.db.delete(identityLinks).where(inArray(identityLinks.userId, gone));
}

/** The owner of an account, unless they were deleted. */
export async function findOwner(
  tx: PlatformTx,
  { platform, platformUserId }: Account,
): Promise<{ userId: string; idpUserId: string } | undefined> {
  const [row] = await tx.db
    .select({ userId: users.userId, idpUserId: users.idpUserId })
    .from(identityLinks)
    .innerJoin(users, eq(users.userId, identityLinks.userId))
    .where(
      and(
        eq(identityLinks.platform, platform),
        eq(identityLinks.platformUserId, platformUserId),
        sql`${users.deletedAt} is null`,
      ),
    );
  return row;
}

const { platform, platformUserId, userId: ownerId } = alias(identityLinks, 'l');
const owner = { platform, platformUserId, userId: ownerId };
const accounts = unnest('wanted', {
  tenantId: memberships.tenantId,
  platform: identityLinks.platform,
  platformUserId: identityLinks.platformUserId,
});
const ownerInTenant = columns({ tenantId: alias(memberships, 'm').tenantId, ...owner });
type OwnerInTenant = RowOf<typeof ownerInTenant>;

/** The owners of these accounts in each tenant, without people of other tenants and people who have not visited it. */
export async function listOwnersInTenants(
  tx: PlatformTx,
  wanted: readonly (Account & { tenantId: string })[],
): Promise<OwnerInTenant[]> {
  if (wanted.length === 0) return [];
  return await tx.query({
    name: 'tenancy.identity_links.owners',
    text: typedSql`select distinct ${ownerInTenant}
           from ${accounts}
           join tenancy.identity_links l using (platform, platform_user_id)
           join tenancy.memberships m on m.tenant_id = wanted.tenant_id and m.user_id = l.user_id
             and m.visited_at is not null`,
    values: accounts.values(wanted),
  });
}

/** The owners of these accounts, in any tenant. Only for comparison with a known person, and never for display. */
export async function listOwnersOfAccounts(
  tx: PlatformTx,
  accounts: readonly Account[],
): Promise<(Account & { userId: string })[]> {
  return await tx.query({
    name: 'tenancy.identity_links.owners_anywhere',
    text: typedSql`select ${columns(owner)}
           from unnest($1::text[], $2::text[]) as wanted (platform, platform_user_id)
           join tenancy.identity_links l using (platform, platform_user_id)`,
    values: [accounts.map(({ platform }) => platform), accounts.map(({ platformUserId }) => platformUserId)],
  });
}
