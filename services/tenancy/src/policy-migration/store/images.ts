import type { PlatformTx } from '@botyard/shared/db/database';
import { and, asc, eq, getTableColumns, isNotNull, isNull } from '@botyard/shared/db/drizzle';
import { count } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { policyMigrationRows } from '../../store/authorization-schema.ts';

/** A row that the run changed, with its former content. */
export type ImageRow = typeof policyMigrationRows.$inferSelect;
export type NewImage = Pick<ImageRow, 'kind' | 'rowId' | 'before' | 'after'>;

const { kind, rowId, before, after, keptReason } = getTableColumns(policyMigrationRows);
const made = unnest('made', { kind, rowId, before, after });
const closed = unnest('closed', { kind, rowId, keptReason });

/** Saves the images of changed rows. A row that was created again and changed again has its newest images. */
export async function saveImages(
  tx: PlatformTx,
  { migrationId, tenantId }: Pick<ImageRow, 'migrationId' | 'tenantId'>,
  images: readonly NewImage[],
): Promise<void> {
  if (images.length === 0) return;
  await tx.query({
    name: 'tenancy.policy_migration.images',
    text: `insert into tenancy.policy_migration_rows (migration_id, tenant_id, ${made.columns})
           select $migrationId, $tenantId, ${made.columns} from ${made}
           on conflict (migration_id, tenant_id, kind, row_id) do update set before = excluded.before, after = excluded.after`,
    values: { migrationId, tenantId, ...made.values(images) },
  });
}

const isOpen = and(isNull(policyMigrationRows.restoredAt), isNull(policyMigrationRows.keptReason));

/** Tenants with changes of the run that rolling back hasn't processed yet, in a fixed order. */
export async function listTenantsToRestore(
  tx: PlatformTx,
  migrationId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.policy_migration.to_restore',
    text: typedSql`select distinct ${columns({ tenantId: policyMigrationRows.tenantId })}
           from tenancy.policy_migration_rows
           where migration_id = $1 and restored_at is null and kept_reason is null
             and ($2::uuid is null or tenant_id > $2)
           order by 1 limit $3`,
    values: [migrationId, after, limit],
  });
  return rows.map((row) => row.tenantId);
}

export async function listImages(
  tx: PlatformTx,
  { migrationId, tenantId }: Pick<ImageRow, 'migrationId' | 'tenantId'>,
): Promise<ImageRow[]> {
  return await tx.db
    .select()
    .from(policyMigrationRows)
    .where(
      and(
        eq(policyMigrationRows.migrationId, migrationId),
        eq(policyMigrationRows.tenantId, tenantId),
        isOpen,
      ),
    );
}

/** The result for each row: restored, or the reason why not. */
export async function closeImages(
  tx: PlatformTx,
  { migrationId, tenantId }: Pick<ImageRow, 'migrationId' | 'tenantId'>,
  outcomes: readonly { kind: ImageRow['kind']; rowId: string; keptReason: string | null }[],
): Promise<void> {
  await tx.query({
    name: 'tenancy.policy_migration.close',
    text: `update tenancy.policy_migration_rows r
           set kept_reason = closed.kept_reason, restored_at = case when closed.kept_reason is null then now() end
           from ${closed}
           where r.migration_id = $migrationId and r.tenant_id = $tenantId
             and r.kind = closed.kind and r.row_id = closed.row_id`,
    values: { migrationId, tenantId, ...closed.values(outcomes) },
  });
}

const imageCount = columns({
  kind: policyMigrationRows.kind,
  done: count(),
  restored: count('restored_at'),
  kept: count('kept_reason'),
});
export type ImageCount = RowOf<typeof imageCount>;

export async function countImages(tx: PlatformTx, migrationId: string): Promise<ImageCount[]> {
  return await tx.query({
    name: 'tenancy.policy_migration.count_images',
    text: typedSql`select ${imageCount}
           from tenancy.policy_migration_rows where migration_id = $1 group by kind`,
    values: [migrationId],
  });
}

export async function listKeptImages(
  tx: PlatformTx,
  migrationId: string,
  limit: number,
): Promise<ImageRow[]> {
  return await tx.db
    .select()
    .from(policyMigrationRows)
    .where(and(eq(policyMigrationRows.migrationId, migrationId), isNotNull(policyMigrationRows.keptReason)))
    .orderBy(asc(policyMigrationRows.tenantId), asc(policyMigrationRows.kind), asc(policyMigrationRows.rowId))
    .limit(limit);
}
