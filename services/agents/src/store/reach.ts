import type { AnyTx } from '@botyard/shared/db/database';
import { type AnyPgColumn, and, inArray, type SQL, sql } from '@botyard/shared/db/drizzle';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { bots } from './schema.ts';

/** The tenants whose rows are visible; `null` means all. */
export type Reach = readonly string[] | null;

/**
 * Rows within reach. Rows of a deleted tenant are never within reach, even before they are purged. The deleted tenants
 * are read once, so that a page is still read along its key.
 */
export const isWithin = (tenantId: AnyPgColumn, reach: Reach): SQL | undefined =>
  and(
    reach === null ? undefined : inArray(tenantId, [...reach]),
    sql`${tenantId} <> all (array(select gone.tenant_id from agents.deleted_tenants gone))`,
  );

/** A person of one tenant; the same account is a different person in another. */
export interface PersonInTenant {
  tenantId: string;
  personId: string;
}

/** A table `wanted (tenant_id, person_id)`. With both columns, rows are found by their key. */
export const tableOf = (people: readonly PersonInTenant[]): SQL => {
  const tenantIds = sql.param(people.map(({ tenantId }) => tenantId));
  const personIds = sql.param(people.map(({ personId }) => personId));
  return sql`unnest(${tenantIds}::uuid[], ${personIds}::uuid[]) as wanted (tenant_id, person_id)`;
};

/** Tenants that can have chats. */
export async function listTenantsWithBots(tx: AnyTx): Promise<string[]> {
  const rows = await tx.query({
    name: 'agents.bots.tenants',
    text: typedSql`select distinct ${columns({ tenantId: bots.tenantId })} from agents.bots`,
    values: [],
  });
  return rows.map((row) => row.tenantId);
}
