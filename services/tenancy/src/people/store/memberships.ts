import type { PageRequest } from '@botyard/contracts/http/page';
import type { Role } from '@botyard/shared/auth/caller';
import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, getTableColumns, ilike, isNotNull, lt, or } from '@botyard/shared/db/drizzle';
import { boolean } from '@botyard/shared/db/expressions';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { containing } from '@botyard/shared/db/sorting';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import { memberships, users } from '../../store/schema.ts';

export type MembershipRow = typeof memberships.$inferSelect;

export interface MembershipKey {
  tenantId: string;
  userId: string;
}

const stored = rowsOf(memberships, 'tenantId', 'userId');
export const { get: getMembership, update: updateMembership, removeReturning: deleteMembership } = stored;

/** Whether a tenant has an admin, not counting deleted people. The caller has locked the tenant. */
export async function hasAdmin(tx: AnyTx, tenantId: string): Promise<boolean> {
  const [row] = await tx.query({
    name: 'tenancy.has_admin',
    text: typedSql`select ${columns({ hasAdmin: boolean('tenancy.has_admin($1)') })}`,
    values: [tenantId],
  });
  return row?.hasAdmin ?? false;
}

/** @throws HttpError 409 when the person already belongs to the tenant. */
export async function insertMembership(
  tx: AnyTx,
  membership: MembershipKey & { role: Role; visitedAt: Date | null },
): Promise<MembershipRow> {
  const [row] = await translated(tx.db.insert(memberships).values(membership).returning(), {
    memberships_tenant_id_user_id_pk: (cause) =>
      conflict('this person is already a member of the tenant', { cause }),
  });
  return row!;
}

/** The most recently joined people of the platform first, one more than the page's limit. */
export const listMemberships = (tx: TenantTx, tenantId: string, page: PageRequest) =>
  stored.list(tx, { tenantId }, page);

/** The same for members whose name or address contains the text, if the caller may see it. */
export async function searchMemberships(
  tx: PlatformTx,
  { tenantId, q, isForOperator }: { tenantId: string; q: string; isForOperator: boolean },
  page: PageRequest,
): Promise<MembershipRow[]> {
  const text = containing(q);
  return await tx.db
    .select(getTableColumns(memberships))
    .from(memberships)
    .innerJoin(users, eq(users.userId, memberships.userId))
    .where(
      and(
        eq(memberships.tenantId, tenantId),
        page.before ? lt(memberships.userId, page.before) : undefined,
        isForOperator ? undefined : isNotNull(memberships.visitedAt),
        or(ilike(users.name, text), ilike(users.email, text)),
      ),
    )
    .orderBy(desc(memberships.userId))
    .limit(page.limit + 1);
}

/** Records a person's first visit to tenants of which they are members. */
export async function saveVisits(
  tx: PlatformTx,
  { userId, tenantIds }: { userId: string; tenantIds: readonly string[] },
): Promise<void> {
  await tx.query({
    name: 'tenancy.memberships.visit',
    text: `update tenancy.memberships set visited_at = now()
           where user_id = $1 and tenant_id = any ($2::uuid[]) and visited_at is null`,
    values: [userId, tenantIds],
  });
}
