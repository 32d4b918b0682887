import type { TenantTx } from '@botyard/shared/db/database';
import { drizzle, pgSchema, uuid } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { expect, test } from 'vitest';

const things = pgSchema('test').table('things', {
  tenantId: uuid('tenant_id').notNull(),
  thingId: uuid('thing_id').notNull(),
});
const stored = rowsOf(things, 'tenantId', 'thingId');
const tx = { db: drizzle.mock() } as unknown as TenantTx;

test('a filter that names no column is refused, and does not become another condition', () => {
  const filter = { tenantId: 'a tenant', name: 'a name' };
  expect(() => stored.list(tx, filter, { limit: 1 })).toThrow('a filter names "name", which is no column');
});

test('an undefined value in a filter restricts nothing', () => {
  const { sql, params } = stored.list(tx, { tenantId: 'a tenant', thingId: undefined }, { limit: 1 }).toSQL();
  expect(sql).toContain('where "test"."things"."tenant_id" = $1 order by');
  expect(params[0]).toBe('a tenant');
});
