import { randomUUID } from 'node:crypto';
import { type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import type { ServiceWithSchema } from '@botyard/shared/db/migrate';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow, type TenantTable, tenantTables } from './support/tenant-rows.ts';

/**
 * Row-level security alone: each statement here is one from which somebody has taken the tenant's filter out (I-08).
 */
let harness: ServiceHarness;
let tables: TenantTable[];
const [own, other] = [randomUUID(), randomUUID()];
const databases = new Map<ServiceWithSchema, Database>();

beforeAll(async () => {
  harness = await ServiceHarness.open();
  tables = await tenantTables(harness);
  for (const table of tables) {
    await insertRow(harness, table, own);
    await insertRow(harness, table, other);
    if (!databases.has(table.service)) databases.set(table.service, harness.databaseAs(table.service));
  }
});
afterAll(() => harness?.close());

/** The result of each table for a statement in a transaction of these tenants. */
async function ask(tenantIds: string[], text: (table: string) => string) {
  const answers = tables.map(async ({ service, table }) => {
    const run = withTenant(databases.get(service)!, tenantIds, (tx) =>
      tx.query<{ tenant_id: string }>({ name: `test.${table}.${text.name}`, text: text(table), values: [] }),
    );
    const rows = await run.then(
      (found) => found.map(({ tenant_id }) => tenant_id),
      (error: Error) => error.message,
    );
    return { table, rows };
  });
  return await Promise.all(answers);
}

const everyTable = (rows: unknown) => tables.map(({ table }) => ({ table, rows }));

test("I-08: without a filter every tenant's table shows the rows of the transaction's tenants, and no other", async () => {
  const select = (table: string) => `select tenant_id from ${table} order by 1`;
  expect(tables.length).toBeGreaterThan(20);
  expect(await ask([own], select)).toEqual(everyTable([own]));
  expect(await ask([other], select)).toEqual(everyTable([other]));
  expect(await ask([own, other], select)).toEqual(everyTable([own, other].sort()));
  expect(await ask([randomUUID()], select)).toEqual(everyTable([]));
  process.stdout.write(`row-level security: ${tables.length} tables, 0 rows leaked\n`);
});

test('I-08: without a scope there is nothing to see', async () => {
  for (const { service, table } of tables) {
    const { rows } = await databases.get(service)!.pool.query(`select from ${table}`);
    expect([table, rows]).toEqual([table, []]);
  }
});

test('I-08: a row can neither be moved into another tenant nor be written for one', async () => {
  const move = (table: string) => `update ${table} set tenant_id = '${other}' returning tenant_id`;
  for (const { table, rows } of await ask([own], move)) {
    expect([table, rows]).toEqual([table, expect.stringMatching(/row-level security|foreign key/)]);
  }
});

test('I-08: a deletion without a filter deletes the own rows alone', async () => {
  const deletion = (table: string) => `delete from ${table} returning tenant_id`;
  const deleted = await ask([own], deletion);
  for (const { table, rows } of deleted) expect([table, rows]).not.toContain(other);
  for (const { service, table } of tables) {
    const left = await withPlatform(databases.get(service)!, 'test', (tx) =>
      tx.query<{ count: string }>({
        name: `test.left.${table}`,
        text: `select count(*) from ${table} where tenant_id = '${other}'`,
        values: [],
      }),
    );
    expect([table, left[0]?.count]).toEqual([table, '1']);
  }
});
