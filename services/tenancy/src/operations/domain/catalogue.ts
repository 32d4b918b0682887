import { withMoments } from '@botyard/contracts/http/common';
import type {
  AppliedMigration,
  Collection,
  CollectionDetail,
  DatabaseStats,
  SchemaTable,
} from '@botyard/contracts/http/database';
import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import { type Database, type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { unavailable } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import {
  type ColumnRow,
  countRows,
  getServer,
  listAppliedMigrations,
  listColumns,
  listIndexes,
  listKeys,
  listTables,
  maxCounted,
  type TableRow,
} from '../store/catalogue.ts';

type ReaderDeps = Pick<Deps, 'reader'>;

/** @throws HttpError 503 when the reader's login is not configured or is refused. */
function look<Result>({ reader }: ReaderDeps, work: (tx: PlatformTx) => Promise<Result>): Promise<Result> {
  if (!reader)
    throw unavailable('the catalogue can not be read: set DATABASE_READER_URL of the tenancy service', {
      isExpected: true,
    });
  return withPlatform(reader satisfies Database, 'catalogue', work);
}

const migrationsOf = (tables: readonly TableRow[]): string[] =>
  tables.filter(({ schema, name }) => schema === 'migrations' && name !== 'names').map(({ name }) => name);

/** All tables of all schemas, by name. */
export const listCollections = (deps: ReaderDeps): Promise<Collection[]> =>
  look(deps, async (tx) => collectionsOf(tx, await listTables(tx)));

async function collectionsOf(tx: PlatformTx, tables: readonly TableRow[]): Promise<Collection[]> {
  const counted = await countRows(tx, tables);
  return tables.map((table) => toCollection(table, counted));
}

function toCollection(row: TableRow, counted: ReadonlyMap<string, number>): Collection {
  const { schema, name: table, tableBytes, indexBytes, totalBytes } = row;
  const collectionName = `${schema}.${table}`;
  const rows = counted.get(collectionName) ?? Number.POSITIVE_INFINITY;
  const isExact = rows <= maxCounted;
  // The database's estimate lags behind, and the counted rows are a lower bound.
  const estimate = counted.has(collectionName)
    ? Math.max(row.estimatedRows, maxCounted + 1)
    : row.estimatedRows;
  const figures = { rows: Math.round(isExact ? rows : estimate), isExact };
  return { collectionName, schema, table, ...figures, tableBytes, indexBytes, totalBytes };
}

/** @throws HttpError 404 for a table that doesn't exist or belongs to no service. */
export function getCollection(deps: ReaderDeps, collectionName: string): Promise<CollectionDetail> {
  return look(deps, async (tx) => {
    const row = found((await listTables(tx, collectionName))[0], 'collection');
    const [[collection], columns, indexes] = await Promise.all([
      collectionsOf(tx, [row]),
      listColumns(tx, collectionName),
      listIndexes(tx, collectionName),
    ]);
    return { ...withMoments(row), ...collection!, columns: columns.map(toColumn), indexes };
  });
}

/** Sealed columns have "sealed" in their name. */
const isSealed = (column: string): boolean => /(^|_)sealed(_|$)/.test(column);

const toColumn = (column: ColumnRow) => ({ ...column, isSealed: isSealed(column.name) });

/** The structure of all tables: columns and keys. */
export function getSchema(deps: ReaderDeps): Promise<SchemaTable[]> {
  return look(deps, async (tx) => {
    const [columns, keys] = await Promise.all([listColumns(tx), listKeys(tx)]);
    const columnsOf = Map.groupBy(columns, ({ schema, table }) => `${schema}.${table}`);
    const keysOf = Map.groupBy(keys, ({ table }) => table);
    return [...columnsOf].map(([collectionName, own]) => {
      const ownKeys = keysOf.get(collectionName) ?? [];
      return {
        collectionName,
        columns: own.map(toColumn),
        primaryKey: ownKeys.find(({ kind }) => kind === 'p')?.columns ?? [],
        foreignKeys: ownKeys.flatMap(({ kind, columns: names, references, onDelete }) =>
          kind === 'f' && references ? [{ columns: names, references, onDelete }] : [],
        ),
      };
    });
  });
}

/** Applied migrations of all schemas, newest first. */
export function listMigrations(deps: ReaderDeps, query: PageRequest): Promise<Page<AppliedMigration>> {
  return look(deps, async (tx) => {
    const rows = await listAppliedMigrations(tx, migrationsOf(await listTables(tx)), query);
    return pageOf(rows, query, withMoments, ({ madeAt, schema }) => `${madeAt}:${schema}`);
  });
}

/** Rows and sizes, in total and per schema. */
export function getStats(deps: ReaderDeps): Promise<DatabaseStats> {
  return look(deps, async (tx) => {
    const collections = await collectionsOf(tx, await listTables(tx));
    const { databaseBytes, used, most } = await getServer(tx);
    const schemas = Map.groupBy(collections, ({ schema }) => schema);
    return {
      databaseBytes,
      ...sumOf(collections),
      connections: { used, most },
      schemas: [...schemas].map(([schema, own]) => ({ schema, ...sumOf(own) })),
      measuredAt: new Date().toISOString(),
    };
  });
}

function sumOf(all: readonly Collection[]) {
  const sum = (field: 'rows' | 'tableBytes' | 'indexBytes' | 'totalBytes') =>
    all.reduce((total, one) => total + one[field], 0);
  return {
    collections: all.length,
    rows: sum('rows'),
    isExact: all.every(({ isExact }) => isExact),
    tableBytes: sum('tableBytes'),
    indexBytes: sum('indexBytes'),
    totalBytes: sum('totalBytes'),
  };
}
