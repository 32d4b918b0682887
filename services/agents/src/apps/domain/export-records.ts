import type { Download } from '@botyard/contracts/http/download';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import type { AppKey } from '../store/apps.ts';
import { listFieldNames, listRecords, type RecordRow, type RecordSearch } from '../store/records.ts';
import { getVersion } from '../store/versions.ts';
import { requireApp } from './publishing.ts';

const rowsAtOnce = 500;

/** More than the fields of all types in a spec together. */
const maxColumns = 1000;

/**
 * Exports records as CSV. Pages are read while the response is sent, so memory holds one page at a time. The columns
 * are the current fields of the requested type, or of all types, followed by fields that only older records have.
 * @throws HttpError 404.
 */
export async function exportRecords(
  { database }: Pick<Deps, 'database'>,
  key: AppKey,
  wanted: RecordSearch,
): Promise<Download> {
  const names = await withTenant(database, [key.tenantId], async (tx) => {
    const { currentVersion } = await requireApp(tx, key);
    const version =
      currentVersion === null ? undefined : await getVersion(tx, { ...key, version: currentVersion });
    const types = version?.spec.recordTypes.filter(({ name }) => name === (wanted.type ?? name)) ?? [];
    const older = await listFieldNames(tx, key, { type: wanted.type, most: maxColumns });
    return [...types.flatMap(({ fields }) => fields.map(({ name }) => name)), ...older];
  });
  const pages = readPages(database, key, wanted);
  const content = writePages(pages, [...new Set(names)]);
  return { contentType: 'text/csv; charset=utf-8', fileName: `${wanted.type ?? 'records'}.csv`, content };
}

async function* readPages(
  database: Deps['database'],
  key: AppKey,
  wanted: RecordSearch,
): AsyncGenerator<RecordRow[]> {
  let before: string | undefined;
  do {
    const page = { ...wanted, before, limit: rowsAtOnce };
    const rows = await withTenant(database, [key.tenantId], (tx) => listRecords(tx, key, page));
    yield rows.slice(0, rowsAtOnce);
    before = rows.length > rowsAtOnce ? rows[rowsAtOnce - 1]?.recordId : undefined;
  } while (before);
}

const about = [
  'recordId',
  'type',
  'createdAt',
  'updatedAt',
  'source',
  'botId',
  'chatId',
  'personId',
  'messageId',
] as const;

async function* writePages(
  pages: AsyncIterable<readonly RecordRow[]>,
  names: readonly string[],
): AsyncGenerator<string> {
  // Loaded on demand, because few processes ever export.
  const { stringify } = await import('csv-stringify/sync');
  const options = { record_delimiter: 'windows' as const };
  yield stringify([[...about, ...names].map(withoutFormulas)], { ...options, bom: true });
  for await (const rows of pages)
    yield stringify(
      rows.map((row) => cellsOf(row, names).map(withoutFormulas)),
      options,
    );
}

const cellsOf = (row: RecordRow, names: readonly string[]): string[] => [
  ...about.map((field) => {
    const value = row[field];
    return value instanceof Date ? value.toISOString() : (value ?? '');
  }),
  ...names.map((name) => String(row.fields[name] ?? '')),
];

/** The beginning of a cell, for a reader that separates cells at any usual separator, and of a formula in it. */
const formulaStart = /(^|[,;|\t\r\n])(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/**
 * Spreadsheets evaluate a text that starts like a formula. They also separate cells at a semicolon or a tab, depending
 * on the language, so formulas inside a cell get an apostrophe, too.
 */
export const withoutFormulas = (cell: string): string =>
  cell.replace(/^(?=[\t\r\n])/, "'").replace(formulaStart, "$1'");
