import { randomUUID } from 'node:crypto';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, withPlatform } from '../../src/db/database.ts';
import { servicesWithSchema } from '../../src/db/migrate.ts';
import { readableTypes } from '../../src/db/reader.ts';

let harness: ServiceHarness;
let reader: Database;

interface ColumnOfTable {
  table: string;
  column: string;
  type: string;
}
let columns: ColumnOfTable[];

beforeAll(async () => {
  harness = await ServiceHarness.open();
  reader = harness.databaseAs('reader');
  columns = await harness.asOwner<ColumnOfTable & Record<string, unknown>>(
    `select n.nspname || '.' || c.relname as table, a.attname as column, t.typname as type
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     join pg_type t on t.oid = a.atttypid
     where c.relkind in ('r', 'p') and n.nspname = any ($1) and a.attnum > 0 and not a.attisdropped`,
    [servicesWithSchema],
  );
});
afterAll(() => harness?.close());

/** `undefined` when it was allowed, else the SQLSTATE. Nothing of it stays. */
async function refusalOf(text: string): Promise<string | undefined> {
  const client = await reader.pool.connect();
  try {
    await client.query('begin read write');
    return await client.query(text).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test("the reader reads no column that can hold text, so neither sealed values nor people's words", async () => {
  const readable = new Set<string>(readableTypes);
  const closed = columns.filter(({ type }) => !readable.has(type));
  expect(closed.filter(({ column }) => column.includes('sealed')).length).toBeGreaterThanOrEqual(5);
  for (const { table, column } of closed) {
    expect([table, column, await refusalOf(`select "${column}" from ${table}`)]).toEqual([
      table,
      column,
      '42501',
    ]);
  }
});

test('it reads only in transactions across tenants', async () => {
  await harness.asOwner(`insert into tenancy.tenants (tenant_id, name) values ($1, 'Acme')`, [randomUUID()]);
  expect((await reader.pool.query('select tenant_id from tenancy.tenants')).rows).toEqual([]);
  const tenantRows = await withPlatform(reader, 'test', (tx) =>
    tx.query({ name: 'test', text: 'select tenant_id from tenancy.tenants', values: [] }),
  );
  expect(tenantRows.length).toBeGreaterThan(0);
});

test('it writes nothing, even in a transaction that asks for write access', async () => {
  for (const table of new Set(columns.map((one) => one.table))) {
    for (const statement of [
      `delete from ${table}`,
      `insert into ${table} default values`,
      `truncate ${table}`,
      `drop table ${table}`,
    ]) {
      expect([statement, await refusalOf(statement)]).toEqual([statement, '42501']);
    }
  }
  expect(await refusalOf('create table public.mine (id int)')).toBe('42501');
});

test('its own login begins read-only, with a bound on its statements, and is nothing special', async () => {
  const [role] = await harness.asOwner<{ settings: string[]; isSpecial: boolean }>(
    `select rolconfig as settings, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb as "isSpecial"
     from pg_roles where rolname = 'botyard_reader'`,
  );
  expect(role?.isSpecial).toBe(false);
  expect(role?.settings).toEqual(
    expect.arrayContaining(['default_transaction_read_only=on', 'statement_timeout=5s']),
  );
});
