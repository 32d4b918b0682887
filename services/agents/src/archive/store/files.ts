import type { AnyTx, PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, asc, eq, getTableColumns, gt, sql } from '@botyard/shared/db/drizzle';
import { exists } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { archiveChats, archiveFiles } from '../../store/archive-schema.ts';

export type FileRow = typeof archiveFiles.$inferSelect;
export type FileKey = Pick<FileRow, 'tenantId' | 'fileId'>;
export type ChatInFile = Omit<typeof archiveChats.$inferSelect, 'tenantId' | 'fileId'>;

const isFile = ({ tenantId, fileId }: FileKey) =>
  and(eq(archiveFiles.tenantId, tenantId), eq(archiveFiles.fileId, fileId));

/** Notes a file before its bytes are written, so that no bytes exist without a row. */
export async function insertFile(
  tx: TenantTx,
  file: Omit<typeof archiveFiles.$inferInsert, 'state'>,
): Promise<void> {
  await tx.db.insert(archiveFiles).values({ ...file, state: 'writing' });
}

/** Marks the file as complete. Searches find it from now on. */
export async function keepFile(tx: TenantTx, key: FileKey, chats: readonly ChatInFile[]): Promise<void> {
  await tx.db.update(archiveFiles).set({ state: 'kept', checkedAt: sql`now()` }).where(isFile(key));
  await tx.db.insert(archiveChats).values(chats.map((chat) => ({ ...key, ...chat })));
}

/** The next file in the order of creation. `trimBefore` limits it to files whose messages may leave the database. */
export async function nextFile(
  tx: TenantTx,
  tenantId: string,
  { after, trimBefore }: { after: string | null; trimBefore?: Date },
): Promise<FileRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(archiveFiles)
    .where(
      and(
        eq(archiveFiles.tenantId, tenantId),
        eq(archiveFiles.state, 'kept'),
        after ? gt(archiveFiles.fileId, after) : undefined,
        trimBefore
          ? sql`${archiveFiles.trimmedAt} is null and ${archiveFiles.lastAt} < ${trimBefore.toISOString()}::timestamptz`
          : undefined,
      ),
    )
    .orderBy(asc(archiveFiles.fileId))
    .limit(1);
  return row;
}

export async function markTrimmed(tx: TenantTx, key: FileKey): Promise<void> {
  await tx.db.update(archiveFiles).set({ trimmedAt: sql`now()` }).where(isFile(key));
}

export async function markChecked(tx: TenantTx, key: FileKey): Promise<void> {
  await tx.db.update(archiveFiles).set({ checkedAt: sql`now()` }).where(isFile(key));
}

export async function deleteFile(tx: AnyTx, { tenantId, fileId }: FileKey): Promise<void> {
  await tx.query({
    name: 'agents.archive_files.delete',
    text: 'delete from agents.archive_files where tenant_id = $1 and file_id = $2',
    values: [tenantId, fileId],
  });
}

/** Files past their retention, whose messages have left the database. */
export async function listExpired(tx: PlatformTx, limit: number): Promise<FileRow[]> {
  return await tx.db
    .select()
    .from(archiveFiles)
    .where(
      sql`${archiveFiles.state} = 'kept' and ${archiveFiles.trimmedAt} is not null and exists (
        select from agents.archive_settings s where s.tenant_id = ${archiveFiles.tenantId} and s.is_enabled
          and ${archiveFiles.lastAt} < now() - make_interval(days => s.delete_after_days))`,
    )
    .limit(limit);
}

const leftOver = columns({
  ...getTableColumns(archiveFiles),
  isDeleted: exists('from agents.deleted_tenants d where d.tenant_id = f.tenant_id'),
});

/** Unfinished files without a worker, and all files of deleted tenants. */
export async function listLeftOver(tx: PlatformTx, limit: number): Promise<RowOf<typeof leftOver>[]> {
  return await tx.query({
    name: 'agents.archive_files.left_over',
    text: typedSql`select ${leftOver}
           from agents.archive_files f
           where tenant_id in (select tenant_id from agents.deleted_tenants where purged_at is null)
             or ((state = 'writing' or next_key is not null or old_key is not null)
               and created_at < now() - interval '10 minutes'
               and not exists (select from agents.archive_jobs j where j.tenant_id = f.tenant_id and j.job_id = f.job_id
                 and j.lease_until > now()))
           limit $1`,
    values: [limit],
  });
}

/** Files that a job began and didn't finish. */
export async function listWritingOf(tx: TenantTx, tenantId: string, jobId: string): Promise<FileRow[]> {
  return await tx.db
    .select()
    .from(archiveFiles)
    .where(
      and(
        eq(archiveFiles.tenantId, tenantId),
        eq(archiveFiles.jobId, jobId),
        eq(archiveFiles.state, 'writing'),
      ),
    )
    .limit(100);
}
