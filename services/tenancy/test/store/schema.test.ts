import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listBots } from '../../src/bots/store/bots.ts';
import { listIntegrations } from '../../src/integrations/store/integrations.ts';
import { getTenant, updateTenant } from '../../src/store/tenants.ts';
import { getTenantWithBots } from '../../src/tenants/store/tenant-with-bots.ts';
import {
  createBot,
  createIntegration,
  openTenancyServices,
  type TenancyServices,
} from '../tenancy-services.ts';

let services: TenancyServices;
let database: ReturnType<TenancyServices['harness']['databaseAs']>;
const tables = ['tenants', 'memberships', 'session_tenants', 'bots', 'integrations'];

beforeAll(async () => {
  services = await openTenancyServices();
  database = services.harness.databaseAs('tenancy');
  for (const people of [services.acme, services.other]) {
    await createIntegration(services, people, await createBot(services, people));
    await services.tenancy.call('POST', '/api/tenant/select', {
      as: people.admin,
      body: { tenantId: people.tenantId },
    });
  }
});

afterAll(() => services?.close());

const read = (table: string) => ({
  name: `test.${table}`,
  text: `select tenant_id from tenancy.${table}`,
  values: [],
});

describe.each(tables)('rows of %s', (table) => {
  test('are visible to a transaction of their tenant only, with no filter in the statement', async () => {
    const { acme, other } = services;
    for (const { tenantId } of [acme, other]) {
      const rows = await withTenant(database, [tenantId], (tx) =>
        tx.query<{ tenant_id: string }>(read(table)),
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(new Set(rows.map(({ tenant_id }) => tenant_id))).toEqual(new Set([tenantId]));
    }
    const both = await withTenant(
      database,
      [acme.tenantId, other.tenantId],
      (tx) => tx.query<{ tenant_id: string }>(read(table)),
      { isOneRoundTrip: true },
    );
    expect(new Set(both.map(({ tenant_id }) => tenant_id)).size).toBe(2);
  });

  test('are invisible without a scope, also on a connection that had one', async () => {
    for (let count = 0; count < 20; count += 1) {
      expect((await database.pool.query(read(table).text)).rows).toEqual([]);
    }
  });

  test("can not be given away to, or taken from, another tenant's scope", async () => {
    const { acme, other } = services;
    const moving = withTenant(database, [acme.tenantId], (tx) =>
      tx.query({
        name: `test.move.${table}`,
        text: `update tenancy.${table} set tenant_id = $1`,
        values: [other.tenantId],
      }),
    );
    await expect(moving).rejects.toThrow(/row-level security|duplicate key|foreign key/);
    const deleted = await withTenant(database, [acme.tenantId], (tx) =>
      tx.query({
        name: `test.delete.${table}`,
        text: `delete from tenancy.${table} where tenant_id = $1 returning 1`,
        values: [other.tenantId],
      }),
    );
    expect(deleted).toEqual([]);
  });
});

test.each(['users', 'lookup_keys', 'dead_letters', 'outbox'])(
  '%s is for transactions across tenants only',
  async (table) => {
    const statement = { ...read(table), text: `select 1 from tenancy.${table}` };
    expect(await withTenant(database, [services.acme.tenantId], (tx) => tx.query(statement))).toEqual([]);
  },
);

test('every table with a tenant forces row-level security', async () => {
  const open = await services.harness.asOwner<{ relname: string }>(
    `select relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where relkind = 'r' and relnamespace = 'tenancy'::regnamespace and not (relrowsecurity and relforcerowsecurity)`,
  );
  expect(open).toEqual([]);
});

describe('a store function that is handed the identifier of another tenant', () => {
  test('finds and changes nothing in a transaction of its own tenant', async () => {
    const { acme, other } = services;
    const result = await withTenant(database, [acme.tenantId], async (tx) => ({
      tenant: await getTenant(tx, other.tenantId),
      updated: await updateTenant(tx, other.tenantId, { name: 'stolen' }),
      bots: await listBots(tx, { limit: 10 }),
    }));
    expect(result.tenant).toBeUndefined();
    expect(result.updated).toBeUndefined();
    expect(result.bots.map(({ tenantId }) => tenantId)).toEqual([acme.tenantId]);
    const [theirs] = await withPlatform(database, 'test', (tx) =>
      tx.query<{ bot_id: string }>({
        name: 'test.theirs',
        text: 'select bot_id from tenancy.bots where tenant_id = $1',
        values: [other.tenantId],
      }),
    );
    const bot = { tenantId: other.tenantId, botId: theirs!.bot_id };
    const integrations = await withTenant(database, [acme.tenantId], (tx) =>
      listIntegrations(tx, bot, { limit: 10 }),
    );
    expect(integrations).toEqual([]);
  });
});

test('the prepared read of a tenant returns the rows of the tables, and nothing of another tenant', async () => {
  const { acme, other } = services;
  const { tenantId } = acme;
  for (let count = 0; count < 3; count += 1) await createBot(services, acme);
  const [tenant, bots] = await withTenant(database, [tenantId], (tx) =>
    Promise.all([getTenant(tx, tenantId), listBots(tx, { limit: 500 })]),
  );
  expect(bots.length).toBeGreaterThan(3);
  const find = (id: string) =>
    withTenant(database, [tenantId], (tx) => getTenantWithBots(tx, id), { isOneRoundTrip: true });
  expect(await find(tenantId)).toEqual({ tenant, bots });
  expect(await find(other.tenantId)).toBeUndefined();
});
