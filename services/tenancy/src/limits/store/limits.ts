import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull, sql } from '@botyard/shared/db/drizzle';
import { boolean, count } from '@botyard/shared/db/expressions';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { tenants, users } from '../../store/schema.ts';

/** Things that are limited per tenant. */
const limitNames = ['bots', 'edges', 'groups'] as const;
export type LimitName = (typeof limitNames)[number];

/** `undefined` leaves a limit unchanged. */
type TenantLimitsChange = Readonly<Record<'maxBots' | 'maxEdges' | 'maxGroups', number | null | undefined>>;

/** One row per counted thing. A membership is an edge from its person to the tenant. */
const thingsOf: Readonly<Record<LimitName, string>> = {
  bots: 'select from tenancy.bots where tenant_id = $1',
  edges: `select from tenancy.memberships where tenant_id = $1
          union all select from tenancy.edges where tenant_id = $1`,
  groups: `select object_id from tenancy.edges where tenant_id = $1 and object_type = 'group'
           union select subject_id from tenancy.edges where tenant_id = $1 and subject_type = 'group'`,
};

const counted = columns({ count: count() });

/** The number of a tenant's things, counted up to `most`. */
export async function countInTenant(
  tx: AnyTx,
  { tenantId, name, most }: { tenantId: string; name: LimitName; most: number | null },
): Promise<number> {
  const [row] = await tx.query({
    name: `tenancy.limits.count.${name}`,
    text: typedSql`select ${counted} from (${thingsOf[name]} limit $2) as counted`,
    values: [tenantId, most],
  });
  return row!.count;
}

const groupText = typedSql`select ${columns({
  exists: boolean(`
    exists (select from tenancy.edges where tenant_id = $1 and object_type = 'group' and object_id = $2)
    or exists (select from tenancy.edges where tenant_id = $1 and subject_type = 'group' and subject_id = $2)`),
})}`;

/** Whether an edge of the tenant refers to the group, which exists only as long as one does. */
export const groupExists = preparedStatement({
  name: 'tenancy.limits.group',
  text: groupText,
  values: (tenantId: string, groupId: string) => [tenantId, groupId],
  result: ([row]) => row!.exists,
});

export const saveTenantLimits = (tx: TenantTx, tenantId: string, change: TenantLimitsChange) =>
  rowsOf(tenants, 'tenantId').update(tx, { tenantId }, change);

/** The number of existing tenants that a person has created, counted up to `most`. */
export async function countTenantsMadeBy(
  tx: PlatformTx,
  { userId, most }: { userId: string; most: number | null },
): Promise<number> {
  const [row] = await tx.query({
    name: 'tenancy.limits.count.tenants',
    text: typedSql`select ${counted}
           from (select from tenancy.tenants where created_by = $1 limit $2) as counted`,
    values: [userId, most],
  });
  return row!.count;
}

const living = (userId: string) => and(eq(users.userId, userId), isNull(users.deletedAt));

/** An operator's limit on the tenants that a person may create. `undefined` if there is no such person. */
export async function getTenantLimitOf(tx: PlatformTx, userId: string): Promise<number | null | undefined> {
  const [row] = await tx.db.select({ maxTenants: users.maxTenants }).from(users).where(living(userId));
  return row?.maxTenants;
}

/** Serializes the creation of the person's tenants until the transaction ends. */
export const lockMaker = (tx: PlatformTx, userId: string): Promise<void> =>
  lockNamed(tx, `tenants of ${userId}`);

export async function saveTenantLimitOf(
  tx: PlatformTx,
  userId: string,
  maxTenants: number | null,
): Promise<boolean> {
  const rows = await tx.db
    .update(users)
    .set({ maxTenants, updatedAt: sql`now()` })
    .where(living(userId))
    .returning({ userId: users.userId });
  return rows.length > 0;
}
