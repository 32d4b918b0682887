import { moment, tenantPolicy } from './columns.ts';
import type { AnyTx, PlatformTx } from './database.ts';
import { index, type pgSchema, sql, uuid } from './drizzle.ts';
import { text } from './expressions.ts';
import { failingIfAny } from './failing-if-any.ts';
import { columns, inSchemas, typedSql } from './typed-sql.ts';

/**
 * Deleted tenants, in the schema of every service that stores data of tenants. A late event finds its tenant here and
 * restores nothing.
 */
export const deletedTenantsTable = (schema: ReturnType<typeof pgSchema>) =>
  schema.table(
    'deleted_tenants',
    {
      tenantId: uuid('tenant_id').primaryKey(),
      deletedAt: moment('deleted_at').notNull().defaultNow(),
      /** When nothing of the tenant was left here; `null` while something may be left. */
      purgedAt: moment('purged_at'),
    },
    (table) => [
      index('deleted_tenants_due').on(table.deletedAt).where(sql`purged_at is null`),
      tenantPolicy(),
    ],
  );

export async function insertDeletedTenant(tx: AnyTx, schema: string, tenantId: string): Promise<void> {
  await tx.query({
    name: `${schema}.deleted_tenants.put`,
    text: `insert into ${schema}.deleted_tenants (tenant_id) values ($1) on conflict do nothing`,
    values: [tenantId],
  });
}

const deletedTenant = columns({ tenantId: text('tenant_id') });
const amongText = inSchemas(
  (schema) =>
    typedSql`select ${deletedTenant} from ${schema}.deleted_tenants where tenant_id = any ($1::uuid[])`,
);

/** The tenants among these that are deleted. */
export async function listDeletedAmong(
  tx: AnyTx,
  schema: string,
  tenantIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query({
    name: `${schema}.deleted_tenants.among`,
    text: amongText(schema),
    values: [tenantIds],
  });
  return new Set(rows.map(({ tenantId }) => tenantId));
}

const noneText = inSchemas((schema) => failingIfAny(schema, amongText(schema)));

/** Fails the transaction if one of these tenants is deleted. */
export async function requireLiving(tx: AnyTx, schema: string, tenantIds: readonly string[]): Promise<void> {
  await tx.query({ name: `${schema}.deleted_tenants.none`, text: noneText(schema), values: [tenantIds] });
}

/** Deleted tenants of which something may be left. */
export async function listUnpurgedTenants(tx: PlatformTx, schema: string): Promise<string[]> {
  const rows = await tx.query({
    name: `${schema}.deleted_tenants.due`,
    text: typedSql`select ${deletedTenant} from ${schema}.deleted_tenants where purged_at is null
           order by deleted_at limit 1000`,
    values: [],
  });
  return rows.map(({ tenantId }) => tenantId);
}

/** Ends the purge, unless the deletion is so recent that an earlier transaction may still commit something. */
export async function markPurged(tx: AnyTx, schema: string, tenantId: string): Promise<void> {
  await tx.query({
    name: `${schema}.deleted_tenants.purged`,
    text: `update ${schema}.deleted_tenants set purged_at = now()
           where tenant_id = $1 and deleted_at < now() - interval '2 minutes'`,
    values: [tenantId],
  });
}

/**
 * A tombstone outlives everything that could still arrive: streams keep events for 72 hours, and platforms retry for
 * less than 8 days.
 */
export async function pruneDeletedTenants(tx: PlatformTx, schema: string): Promise<void> {
  await tx.query({
    name: `${schema}.deleted_tenants.prune`,
    text: `delete from ${schema}.deleted_tenants where purged_at < now() - interval '30 days'`,
    values: [],
  });
}
