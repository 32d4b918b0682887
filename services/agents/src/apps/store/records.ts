import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, gte, lt, sql } from '@botyard/shared/db/drizzle';
import { text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { appRecords } from '../../store/apps-schema.ts';
import type { AppKey } from './apps.ts';

export type RecordRow = typeof appRecords.$inferSelect;
type NewRecord = Omit<RecordRow, 'createdAt' | 'updatedAt'>;

export type RecordKey = AppKey & { recordId: string };

const ofApp = ({ tenantId, appId }: AppKey) =>
  and(eq(appRecords.tenantId, tenantId), eq(appRecords.appId, appId));
const stored = rowsOf(appRecords, 'tenantId', 'appId', 'recordId');
export const { get: getRecord, lock: lockRecord, remove: deleteRecord } = stored;

/** Overwrites a record with the same origin, which keeps its identifier. */
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

export const countRecords = (tx: TenantTx, { tenantId, appId }: AppKey, type: string) =>
  stored.count(tx, { tenantId, appId, type });

export async function updateRecord(
  tx: TenantTx,
  key: RecordKey,
  { fields, searchText }: Pick<RecordRow, 'fields' | 'searchText'>,
): Promise<RecordRow> {
  const row = await stored.update(tx, key, { fields, searchText, updatedAt: sql`now()` });
  return row!;
}

/** Deletes up to `most` records of an app. Returns how many. */
export const deleteRecordsOf = preparedStatement({
  name: 'agents.app_records.delete-of-app',
  text: `delete from agents.app_records where tenant_id = $1 and record_id in (
           select record_id from agents.app_records where tenant_id = $1 and app_id = $2 limit $3) returning 1`,
  values: ({ tenantId, appId }: AppKey, most: number) => [tenantId, appId, most],
  result: (rows) => rows.length,
});

export interface RecordSearch {
  type?: string | undefined;
  /** Normalized in the same way as `searchText`. */
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
  { tenantId, appId }: AppKey,
  { before, limit, ...wanted }: PageRequest & RecordSearch,
): Promise<RecordRow[]> {
  const { type, search, field, value, chatId, personId, from, to } = wanted;
  return await stored.list(
    tx,
    { tenantId, appId, type, chatId, personId },
    { before, limit },
    search ? sql`position(${search} in ${appRecords.searchText}) > 0` : undefined,
    field && value !== undefined ? sql`${appRecords.fields} ->> ${field} = ${value}` : undefined,
    from ? gte(appRecords.createdAt, new Date(from)) : undefined,
    to ? lt(appRecords.createdAt, new Date(to)) : undefined,
  );
}

/** The names of all fields in records of one type or of all types, in alphabetical order, up to a limit. */
export const listFieldNames = preparedStatement({
  name: 'agents.app_records.fields',
  text: typedSql`select distinct ${columns({ name: text('jsonb_object_keys(fields)') })} from agents.app_records
         where tenant_id = $1 and app_id = $2 and ($3::text is null or type = $3) order by 1 limit $4`,
  values: (key: AppKey, { type = null, most }: { type?: string | null | undefined; most: number }) => [
    key.tenantId,
    key.appId,
    type,
    most,
  ],
  result: (rows) => rows.map(({ name }) => name),
});
