import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, gte, lt, sql } from '@botyard/shared/db/drizzle';
import { text } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { appRecords } from '../../store/apps-schema.ts';
import type { AppKey } from './apps.ts';

export type RecordRow = typeof appRecords.$inferSelect;
export type NewRecord = Omit<RecordRow, 'createdAt' | 'updatedAt'>;

export type RecordKey = AppKey & { recordId: string };

const ofApp = ({ tenantId, appId }: AppKey) =>
  and(eq(appRecords.tenantId, tenantId), eq(appRecords.appId, appId));
const matches = (key: RecordKey) => and(ofApp(key), eq(appRecords.recordId, key.recordId));

/** A record with the same origin is overwritten, and keeps its identifier. */
export async function putRecord(tx: TenantTx, record: NewRecord): Promise<RecordRow> {
  const { fields, searchText } = record;
  const [row] = await tx.db
    .insert(appRecords)
    .values(record)
    .onConflictDoUpdate({
      target: [appRecords.tenantId, appRecords.appId, appRecords.originKey],
      set: { fields, searchText, updatedAt: sql`now()` },
    })
    .returning();
  return row!;
}

export async function hasRecordOf(tx: TenantTx, key: AppKey & { originKey: string }): Promise<boolean> {
  const rows = await tx.db
    .select({ recordId: appRecords.recordId })
    .from(appRecords)
    .where(and(ofApp(key), eq(appRecords.originKey, key.originKey)));
  return rows.length > 0;
}

export const countRecords = (tx: TenantTx, key: AppKey, type: string): Promise<number> =>
  tx.db.$count(appRecords, and(ofApp(key), eq(appRecords.type, type)));

export async function getRecord(tx: TenantTx, key: RecordKey): Promise<RecordRow | undefined> {
  const [row] = await tx.db.select().from(appRecords).where(matches(key));
  return row;
}

/** The same, locked until the transaction ends. */
export async function lockRecord(tx: TenantTx, key: RecordKey): Promise<RecordRow | undefined> {
  const [row] = await tx.db.select().from(appRecords).where(matches(key)).for('update');
  return row;
}

export async function updateRecord(
  tx: TenantTx,
  key: RecordKey,
  { fields, searchText }: Pick<RecordRow, 'fields' | 'searchText'>,
): Promise<RecordRow> {
  const changed = tx.db.update(appRecords).set({ fields, searchText, updatedAt: sql`now()` });
  const [row] = await changed.where(matches(key)).returning();
  return row!;
}

/** `false` when there was none. */
export async function deleteRecord(tx: TenantTx, key: RecordKey): Promise<boolean> {
  const rows = await tx.db.delete(appRecords).where(matches(key)).returning({ appId: appRecords.appId });
  return rows.length > 0;
}

/** Deletes up to `most` records of an app. Returns how many. */
export async function deleteRecordsOf(
  tx: TenantTx,
  { tenantId, appId }: AppKey,
  most: number,
): Promise<number> {
  const rows = await tx.query({
    name: 'agents.app_records.delete-of-app',
    text: `delete from agents.app_records where tenant_id = $1 and record_id in (
             select record_id from agents.app_records where tenant_id = $1 and app_id = $2 limit $3) returning 1`,
    values: [tenantId, appId, most],
  });
  return rows.length;
}

export interface RecordSearch {
  type?: string | undefined;
  /** Folded, as `searchText` is. */
  search?: string | undefined;
  field?: string | undefined;
  value?: string | undefined;
  chatId?: string | undefined;
  personId?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Newest first, one more than the page's limit. */
export async function listRecords(
  tx: TenantTx,
  key: AppKey,
  { before, limit, ...wanted }: PageRequest & RecordSearch,
): Promise<RecordRow[]> {
  const { type, search, field, value, chatId, personId, from, to } = wanted;
  return await tx.db
    .select()
    .from(appRecords)
    .where(
      and(
        ofApp(key),
        type ? eq(appRecords.type, type) : undefined,
        search ? sql`position(${search} in ${appRecords.searchText}) > 0` : undefined,
        field && value !== undefined ? sql`${appRecords.fields} ->> ${field} = ${value}` : undefined,
        chatId ? eq(appRecords.chatId, chatId) : undefined,
        personId ? eq(appRecords.personId, personId) : undefined,
        from ? gte(appRecords.createdAt, new Date(from)) : undefined,
        to ? lt(appRecords.createdAt, new Date(to)) : undefined,
        before ? lt(appRecords.recordId, before) : undefined,
      ),
    )
    .orderBy(desc(appRecords.recordId))
    .limit(limit + 1);
}

/** The names of all fields in records, of a type or of all, in alphabetical order; up to a limit. */
export async function listFieldNames(
  tx: TenantTx,
  key: AppKey,
  { type = null, most }: { type?: string | null | undefined; most: number },
): Promise<string[]> {
  const rows = await tx.query({
    name: 'agents.app_records.fields',
    text: typedSql`select distinct ${columns({ name: text('jsonb_object_keys(fields)') })} from agents.app_records
           where tenant_id = $1 and app_id = $2 and ($3::text is null or type = $3) order by 1 limit $4`,
    values: [key.tenantId, key.appId, type, most],
  });
  return rows.map(({ name }) => name);
}
