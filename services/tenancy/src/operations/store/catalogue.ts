import { createHash } from 'node:crypto';
import type { PlatformTx } from '@botyard/shared/db/database';
import { boolean, exists, moment, number, oneOf, orNull, text, texts } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';

/** Postgres knows no size for a table that was just dropped. */
const size = (of: string) => number(`coalesce(${of}, 0)`);

const tableRow = columns({
  schema: text('n.nspname'),
  name: text('c.relname'),
  estimatedRows: number('greatest(c.reltuples, coalesce(s.n_live_tup, 0), 0)'),
  tableBytes: size('pg_table_size(c.oid)'),
  indexBytes: size('pg_indexes_size(c.oid)'),
  totalBytes: size('pg_total_relation_size(c.oid)'),
  isTenantScoped: exists(`from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id'`),
  isRowSecurityForced: boolean('c.relrowsecurity and c.relforcerowsecurity'),
  isCountable: boolean(`has_any_column_privilege(c.oid, 'select')`),
  deadRows: number('coalesce(s.n_dead_tup, 0)'),
  lastVacuumedAt: orNull(moment('greatest(s.last_vacuum, s.last_autovacuum)')),
  lastAnalyzedAt: orNull(moment('greatest(s.last_analyze, s.last_autoanalyze)')),
});
/** The database catalogue's data on a table. */
export type TableRow = RowOf<typeof tableRow>;

/** Larger tables use the estimate, so that the cost of counting is bounded. */
export const maxCounted = 10_000;

const ours = `n.nspname in ('tenancy', 'keys', 'usage', 'webhooks', 'agents', 'migrations')`;

/** All tables of all services, by name, or only the given one. */
export async function listTables(tx: PlatformTx, table?: string): Promise<TableRow[]> {
  return await tx.query({
    name: 'catalogue.tables',
    text: typedSql`select ${tableRow}
           from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_stat_all_tables s on s.relid = c.oid
           where c.relkind in ('r', 'p') and ${ours} and ($1::text is null or n.nspname || '.' || c.relname = $1)
           order by n.nspname, c.relname limit 1000`,
    values: [table ?? null],
  });
}

const countedRows = columns({ name: text('name'), rows: number('rows') });

/**
 * The number of rows of each of these tables, counted up to one more than `maxCounted`. The names come from the
 * catalogue.
 */
export async function countRows(tx: PlatformTx, tables: readonly TableRow[]): Promise<Map<string, number>> {
  const countable = tables
    .filter(({ isCountable }) => isCountable)
    .map(({ schema, name }) => ({ schema, name }));
  if (countable.length === 0) return new Map();
  const counts = countable.map(
    ({ schema, name }) =>
      `select '${schema}.${name}' as name, count(*) as rows from
         (select from ${schema}.${name} limit ${maxCounted + 1}) as counted`,
  );
  const text = typedSql`select ${countedRows} from (${counts.join(' union all ')}) as counted`;
  // Each set of tables has its own statement. Services have tables of the same name, and an upgrade changes the set.
  const digest = createHash('sha256').update(text.text).digest('hex').slice(0, 32);
  const rows = await tx.query({ name: `catalogue.count.${digest}`, text, values: [] });
  return new Map(rows.map(({ name, rows: counted }) => [name, counted]));
}

const columnRow = columns({
  schema: text('n.nspname'),
  table: text('c.relname'),
  name: text('a.attname'),
  type: text('format_type(a.atttypid, a.atttypmod)'),
  isNullable: boolean('not a.attnotnull'),
  hasDefault: boolean(`a.atthasdef or a.attidentity <> ''`),
});
export type ColumnRow = RowOf<typeof columnRow>;

export async function listColumns(tx: PlatformTx, table?: string): Promise<ColumnRow[]> {
  return await tx.query({
    name: 'catalogue.columns',
    text: typedSql`select ${columnRow}
           from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
           where c.relkind in ('r', 'p') and ${ours} and a.attnum > 0 and not a.attisdropped
             and ($1::text is null or n.nspname || '.' || c.relname = $1)
           order by n.nspname, c.relname, a.attnum limit 20000`,
    values: [table ?? null],
  });
}

const indexRow = columns({
  name: text('ic.relname'),
  columns: texts(
    'array(select pg_get_indexdef(i.indexrelid, k, true) from generate_series(1, i.indnkeyatts) k order by k)',
  ),
  isUnique: boolean('i.indisunique'),
  isPrimary: boolean('i.indisprimary'),
  isPartial: boolean('i.indpred is not null'),
  sizeBytes: size('pg_relation_size(ic.oid)'),
  scans: number('coalesce(s.idx_scan, 0)'),
});
type IndexRow = RowOf<typeof indexRow>;

export async function listIndexes(tx: PlatformTx, table: string): Promise<IndexRow[]> {
  return await tx.query({
    name: 'catalogue.indexes',
    text: typedSql`select ${indexRow}
           from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
           join pg_class ic on ic.oid = i.indexrelid left join pg_stat_all_indexes s on s.indexrelid = i.indexrelid
           where n.nspname || '.' || c.relname = $1 order by i.indisprimary desc, ic.relname limit 200`,
    values: [table],
  });
}

const keyRow = columns({
  table: text(`n.nspname || '.' || c.relname`),
  kind: oneOf(['p', 'f'], 'k.contype'),
  columns: texts(`array(select a.attname::text from unnest(k.conkey) with ordinality as u (num, place)
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.num order by place)`),
  references: orNull(
    text(`(select fn.nspname || '.' || fc.relname from pg_class fc join pg_namespace fn on fn.oid = fc.relnamespace
      where fc.oid = k.confrelid)`),
  ),
  onDelete:
    text(`case k.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default'
    when 'r' then 'restrict' else 'no action' end`),
});
type KeyRow = RowOf<typeof keyRow>;

/** Primary and foreign keys of all tables. */
export async function listKeys(tx: PlatformTx): Promise<KeyRow[]> {
  return await tx.query({
    name: 'catalogue.keys',
    text: typedSql`select ${keyRow}
           from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
           where k.contype in ('p', 'f') and ${ours} order by 1, k.conname limit 5000`,
    values: [],
  });
}

const migrationRow = columns({
  schema: text('service'),
  /** Creation time in milliseconds since 1970; orders the migrations of a schema. */
  madeAt: text('created_at::text'),
  name: text('name'),
  hash: text('hash'),
  appliedAt: moment('applied_at'),
});
type MigrationRow = RowOf<typeof migrationRow>;

/** Migrations of all schemas, newest first, one more than `limit`. */
export async function listAppliedMigrations(
  tx: PlatformTx,
  schemas: readonly string[],
  page: { limit: number; before?: string | undefined },
): Promise<MigrationRow[]> {
  const [madeAt, schema] = page.before?.split(':') ?? [];
  const all = schemas.map((name) => `select '${name}' as service, created_at, hash from migrations.${name}`);
  return await tx.query({
    name: `catalogue.migrations.${schemas.join('.')}`,
    text: typedSql`select ${migrationRow}
           from (${all.join(' union all ')}) as applied join migrations.names using (service, created_at)
           where $2::bigint is null or (created_at, service) < ($2, $3)
           order by created_at desc, service desc limit $1`,
    values: [page.limit + 1, madeAt ?? null, schema ?? null],
  });
}

const serverRow = columns({
  databaseBytes: number('pg_database_size(current_database())'),
  used: number('(select sum(numbackends) from pg_stat_database)'),
  most: number(`current_setting('max_connections')::int`),
});
type ServerRow = RowOf<typeof serverRow>;

export async function getServer(tx: PlatformTx): Promise<ServerRow> {
  return await tx.one({
    name: 'catalogue.server',
    text: typedSql`select ${serverRow}`,
    values: [],
  });
}
