import { type AnyTx, type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import { type Statement, toNumbered } from '@botyard/shared/db/statement';
import type { TypedSql } from '@botyard/shared/db/typed-sql';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listBots } from '../../src/bots/store/bots.ts';
import { getReach } from '../../src/callers/store/reach.ts';

const tenants = 1000;
const bots = 100_000;
const edges = 20_000;

let harness: ServiceHarness;
let database: Database;
let tenantIds: string[];

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('tenancy');
  await harness.asOwner(`insert into tenancy.users (user_id, idp_user_id)
    select tenancy.new_id(), 'user_' || n from generate_series(1, 1000) n`);
  await harness.asOwner(`with t as (insert into tenancy.tenants (tenant_id, name)
      select tenancy.new_id(), 'T' || n from generate_series(1, ${tenants}) n returning tenant_id)
    insert into tenancy.memberships (tenant_id, user_id, role)
      select t.tenant_id, u.user_id, 'admin' from t, tenancy.users u where u.idp_user_id in ('user_1', 'user_2')`);
  await harness.asOwner(`insert into tenancy.bots (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms)
    select t.tenant_id, tenancy.new_id(), 'Bot', '{}', true, 0
    from generate_series(1, ${bots / tenants}) n, tenancy.tenants t where not t.is_platform`);
  await harness.asOwner(`insert into tenancy.edges (tenant_id, subject_type, subject_id, relation, object_type, object_id)
    select (select tenant_id from tenancy.tenants where name = 'T1'), 'user', u.user_id::text, 'member', 'group', 'g' || n
    from tenancy.users u, generate_series(1, ${edges / 1000}) n`);
  await harness.asOwner('analyze');
  const rows = await harness.asOwner<{ tenant_id: string }>(
    'select tenant_id from tenancy.tenants where not is_platform',
  );
  tenantIds = rows.map((row) => row.tenant_id);
});
afterAll(() => harness?.close());

async function planOf(tx: AnyTx, { text, values }: { text: string; values: unknown[] }): Promise<string> {
  const rows = await tx.query<{ 'QUERY PLAN': string }>({
    name: `explain ${text.length}`,
    text: `explain (analyze, costs off, timing off) ${text}`,
    values,
  });
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

test('the bots of an admin of 1,000 tenants are read by an index, for any number of bots', async () => {
  const plan = await withTenant(database, tenantIds, (tx) => {
    const { sql: text, params: values } = listBots(tx, { limit: 100 }).toSQL();
    return planOf(tx, { text, values });
  });
  expect(plan).toMatch(/Index (Only )?Scan.* on bots/);
  expect(plan).not.toMatch(/Seq Scan on bots/);
  const rows = await withTenant(database, tenantIds, (tx) => listBots(tx, { limit: 100 }));
  expect(rows.map(({ botId }) => botId)).toEqual(
    rows
      .map(({ botId }) => botId)
      .toSorted()
      .reverse(),
  );
});

test("a person's reach is read by indexes of the edges, for one with a relationship and for an admin of 1,000 tenants", async () => {
  for (const idpUserId of ['user_500', 'user_1']) {
    const key = { idpUserId, sessionId: 's', orgId: null };
    const plan = await withPlatform(database, 'test', async (tx) => {
      let sent: Statement<TypedSql<unknown>> | undefined;
      const first = async (statement: Statement<string | TypedSql<unknown>>) => {
        sent = statement as Statement<TypedSql<unknown>>;
        return undefined;
      };
      await getReach({ ...tx, first }, key);
      return await planOf(tx, toNumbered(sent!));
    });
    expect(plan).toMatch(/Index (Only )?Scan using edges_by_subject on edges/);
    expect(plan).not.toMatch(/Seq Scan on edges/);
    expect(plan).not.toMatch(/Hash Join[\s\S]{0,400}edges_by_subject/);
  }
});
