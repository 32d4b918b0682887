import type pg from 'pg';
import type { ArchiveWriter, Part } from './archive.ts';

const rowsAtOnce = 200;

interface Table {
  /** The name with its schema, quoted if necessary. */
  name: string;
  /** The quoted column names, without generated columns. */
  columns: string[];
  types: string[];
}

/** Returns all tables of the services. */
export async function listTables(client: pg.Client, schemas: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns,
       array_agg(format_type(a.atttypid, a.atttypmod) order by a.attnum) as types
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname = any ($1)
     group by n.nspname, c.relname order by n.nspname, c.relname`,
    [schemas],
  );
  return rows;
}

/** Gives the transaction access to all tenants' rows. Row-level security applies to the owner, too. */
export const seeEverything = `select set_config('app.platform', 'backup', true), set_config('statement_timeout', '0', true)`;

/** Writes all rows of the transaction's snapshot. */
export async function dumpTables(client: pg.Client, schemas: readonly string[], archive: ArchiveWriter) {
  for (const { name, columns } of await listTables(client, schemas)) {
    const texts = columns.map((column) => `${column}::text`).join(', ');
    await client.query(
      `declare dump cursor for select array_to_json(array[${texts}])::text as row from ${name}`,
    );
    const head = JSON.stringify({ kind: 'rows', table: name, columns }).slice(0, -1);
    for (;;) {
      const { rows } = await client.query<{ row: string }>(`fetch ${rowsAtOnce} from dump`);
      if (rows.length === 0) break;
      await archive.addText(`${head},"rows":[${rows.map(({ row }) => row).join(',')}]}`);
    }
    await client.query('close dump');
  }
  const { rows } = await client.query<{ name: string; value: string | null; start: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value, start_value::text as start
     from pg_sequences where schemaname = any ($1)`,
    [schemas],
  );
  for (const { name, value, start } of rows)
    await archive.add({ kind: 'sequence', name, value: value ?? start, isCalled: value !== null });
}

/**
 * Empties the tables and defers their constraints, so that rows can be inserted in any order. Returns the function that
 * restores the constraints. Both run in one transaction.
 */
export async function openTables(client: pg.Client, tables: readonly Table[], schemas: readonly string[]) {
  const { rows: keys } = await client.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name from pg_constraint
     where contype = 'f' and connamespace = any ($1::regnamespace[]) and not condeferrable`,
    [schemas],
  );
  const defer = (how: string) =>
    keys.map(({ table, name }) => `alter table ${table} alter constraint ${name} ${how};`).join('\n');
  const trigger = (how: string) =>
    tables.map(({ name }) => `alter table ${name} ${how} trigger user;`).join('\n');
  await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  await client.query(`${trigger('disable')}\n${defer('deferrable initially deferred')}`);
  return async () => {
    await client.query('set constraints all immediate');
    await client.query(`${defer('not deferrable')}\n${trigger('enable')}`);
  };
}

type Rows = Extract<Part, { kind: 'rows' }>;

/** @throws Error if the archive has an unknown table or column. */
export async function insertRows(
  client: pg.Client,
  tables: readonly Table[],
  { table, columns, rows }: Rows,
) {
  const definition = tables.find(({ name }) => name === table);
  const values = columns.map((column, place) => {
    const type = definition?.types[definition.columns.indexOf(column)];
    if (!type) throw new Error(`the backup has ${table}.${column}, which this version doesn't know`);
    return `(row ->> ${place})::${type}`;
  });
  await client.query(
    `insert into ${table} (${columns.join(', ')}) overriding system value
     select ${values.join(', ')} from jsonb_array_elements($1::jsonb) as row`,
    [JSON.stringify(rows)],
  );
}
