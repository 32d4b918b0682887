import type { PlatformTx } from '@botyard/shared/db/database';

/** What the database's own catalogue tells of a table. */
export interface TableRow {
  schema: string;
  name: string;
  estimatedRows: number;
  tableBytes: number;
  indexBytes: number;
  totalBytes: number;
  isTenantScoped: boolean;
  isRowSecurityForced: boolean;
  isCountable: boolean;
  deadRows: number;
  lastVacuumedAt: Date | null;
  lastAnalyzedAt: Date | null;
}

/** Above it the estimate has to do: counting is bounded, however big a table grows. */
export const maxCounted = 10_000;

const ours = `n.nspname in ('tenancy', 'keys', 'usage', 'webhooks', 'agents', 'migrations')`;

/** All tables of all services, by name; or the one. */
export async function listTables(tx: PlatformTx, table?: string): Promise<TableRow[]> {
  return await tx.query<TableRow & Record<string, unknown>>({
    name: 'catalogue.tables',
    text: `select n.nspname as schema, c.relname as name,
             greatest(c.reltuples, coalesce(s.n_live_tup, 0), 0)::float8 as "estimatedRows",
             pg_table_size(c.oid)::float8 as "tableBytes", pg_indexes_size(c.oid)::float8 as "indexBytes",
             pg_total_relation_size(c.oid)::float8 as "totalBytes",
             exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as "isTenantScoped",
             c.relrowsecurity and c.relforcerowsecurity as "isRowSecurityForced",
             has_any_column_privilege(c.oid, 'select') as "isCountable", coalesce(s.n_dead_tup, 0)::float8 as "deadRows",
             greatest(s.last_vacuum, s.last_autovacuum) as "lastVacuumedAt",
             greatest(s.last_analyze, s.last_autoanalyze) as "lastAnalyzedAt"
           from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_stat_all_tables s on s.relid = c.oid
           where c.relkind in ('r', 'p') and ${ours} and ($1::text is null or n.nspname || '.' || c.relname = $1)
           order by n.nspname, c.relname limit 1000`,
    values: [table ?? null],
  });
}

/** Rows of each of these tables, counted up to one more than `maxCounted`. The names are the catalogue's own. */
export async function countRows(tx: PlatformTx, tables: readonly TableRow[]): Promise<Map<string, number>> {
  const countable = tables
    .filter(({ isCountable }) => isCountable)
    .map(({ schema, name }) => ({ schema, name }));
  if (countable.length === 0) return new Map();
  const counts = countable.map(
    ({ schema, name }) =>
      `select '${schema}.${name}' as name, count(*)::float8 as rows from
         (select from ${schema}.${name} limit ${maxCounted + 1}) as counted`,
  );
  const rows = await tx.query<{ name: string; rows: number }>({
    name: `catalogue.count.${countable.length}.${countable[0]?.name}`,
    text: counts.join(' union all '),
    values: [],
  });
  return new Map(rows.map(({ name, rows: counted }) => [name, counted]));
}

export interface ColumnRow {
  schema: string;
  table: string;
  name: string;
  type: string;
  isNullable: boolean;
  hasDefault: boolean;
}

export async function listColumns(tx: PlatformTx, table?: string): Promise<ColumnRow[]> {
  return await tx.query<ColumnRow & Record<string, unknown>>({
    name: 'catalogue.columns',
    text: `select n.nspname as schema, c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
             not a.attnotnull as "isNullable", a.atthasdef or a.attidentity <> '' as "hasDefault"
           from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
           where c.relkind in ('r', 'p') and ${ours} and a.attnum > 0 and not a.attisdropped
             and ($1::text is null or n.nspname || '.' || c.relname = $1)
           order by n.nspname, c.relname, a.attnum limit 20000`,
    values: [table ?? null],
  });
}

export interface IndexRow {
  name: string;
  columns: string[];
  isUnique: boolean;
  isPrimary: boolean;
  isPartial: boolean;
  sizeBytes: number;
  scans: number;
}

export async function listIndexes(tx: PlatformTx, table: string): Promise<IndexRow[]> {
  return await tx.query<IndexRow & Record<string, unknown>>({
    name: 'catalogue.indexes',
    text: `select ic.relname as name, i.indisunique as "isUnique", i.indisprimary as "isPrimary",
             i.indpred is not null as "isPartial", pg_relation_size(ic.oid)::float8 as "sizeBytes",
             coalesce(s.idx_scan, 0)::float8 as scans,
             array(select pg_get_indexdef(i.indexrelid, k, true) from generate_series(1, i.indnkeyatts) k order by k) as columns
           from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
           join pg_class ic on ic.oid = i.indexrelid left join pg_stat_all_indexes s on s.indexrelid = i.indexrelid
           where n.nspname || '.' || c.relname = $1 order by i.indisprimary desc, ic.relname limit 200`,
    values: [table],
  });
}

export interface KeyRow {
  table: string;
  kind: 'p' | 'f';
  columns: string[];
  references: string | null;
  onDelete: string;
}

/** Primary and foreign keys of all tables. */
export async function listKeys(tx: PlatformTx): Promise<KeyRow[]> {
  return await tx.query<KeyRow & Record<string, unknown>>({
    name: 'catalogue.keys',
    text: `select n.nspname || '.' || c.relname as table, k.contype as kind,
             array(select a.attname::text from unnest(k.conkey) with ordinality as u (num, place)
               join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.num order by place) as columns,
             (select fn.nspname || '.' || fc.relname from pg_class fc join pg_namespace fn on fn.oid = fc.relnamespace
               where fc.oid = k.confrelid) as references,
             case k.confdeltype when 'c' then 'cascade' when 'n' then 'set null' when 'd' then 'set default'
               when 'r' then 'restrict' else 'no action' end as "onDelete"
           from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
           where k.contype in ('p', 'f') and ${ours} order by 1, k.conname limit 5000`,
    values: [],
  });
}

export interface MigrationRow {
  schema: string;
  /** When it was made, in milliseconds since 1970: orders the migrations of a schema. */
  madeAt: string;
  name: string;
  hash: string;
  appliedAt: Date;
}

/** Of all schemas, the newest first, one more than `limit`. */
export async function listAppliedMigrations(
  tx: PlatformTx,
  schemas: readonly string[],
  page: { limit: number; before?: string | undefined },
): Promise<MigrationRow[]> {
  const [madeAt, schema] = page.before?.split(':') ?? [];
  const all = schemas.map((name) => `select '${name}' as service, created_at, hash from migrations.${name}`);
  return await tx.query<MigrationRow & Record<string, unknown>>({
    name: `catalogue.migrations.${schemas.join('.')}`,
    text: `select service as schema, created_at::text as "madeAt", hash, name, applied_at as "appliedAt"
           from (${all.join(' union all ')}) as applied join migrations.names using (service, created_at)
           where $2::bigint is null or (created_at, service) < ($2, $3)
           order by created_at desc, service desc limit $1`,
    values: [page.limit + 1, madeAt ?? null, schema ?? null],
  });
}

export interface ServerRow {
  databaseBytes: number;
  used: number;
  most: number;
}

export async function getServer(tx: PlatformTx): Promise<ServerRow> {
  const [row] = await tx.query<ServerRow & Record<string, unknown>>({
    name: 'catalogue.server',
    text: `select pg_database_size(current_database())::float8 as "databaseBytes",
             (select sum(numbackends) from pg_stat_database)::int as used, current_setting('max_connections')::int as most`,
    values: [],
  });
  return row!;
}
