import type {
  AppliedMigration,
  Collection,
  CollectionDetail,
  DatabaseHealth,
  DatabaseStats,
  SchemaTable,
} from '@botyard/contracts/http/database';
import { servicesWithSchema } from '@botyard/shared/db/migrate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, openPlatform, type Platform } from '../../whole-platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const path = '/api/database';
// biome-ignore lint/suspicious/noExplicitAny: each test says what it reads
const get = <Shape = any>(below: string, status = 200): Promise<Shape> =>
  callOk(platform.tenancy, 'GET', `${path}${below}`, { as: platform.acme.operator, status });

test('every table of every schema is listed with its rows and sizes', async () => {
  const collections = await get<Collection[]>('/collections');
  const names = collections.map(({ collectionName }) => collectionName);
  expect(names).toEqual(
    expect.arrayContaining(['tenancy.tenants', 'keys.keys', 'usage.quotas', 'agents.messages']),
  );
  expect(new Set(collections.map(({ schema }) => schema))).toEqual(
    new Set([...servicesWithSchema, 'migrations']),
  );
  const tenants = collections.find(({ collectionName }) => collectionName === 'tenancy.tenants');
  const [counted] = await platform.harness.asOwner<{ rows: string }>(
    'select count(*) as rows from tenancy.tenants',
  );
  expect(tenants).toMatchObject({ rows: Number(counted?.rows), isExact: true });
  expect(tenants?.totalBytes).toBeGreaterThan(0);
});

test('beyond the counted limit, the number is marked as an estimate', async () => {
  await platform.harness.asOwner(
    `insert into tenancy.tenants (tenant_id, name) select gen_random_uuid(), 'Many' from generate_series(1, 12000)`,
  );
  await platform.harness.asOwner('analyze tenancy.tenants');
  const tenants = await get<CollectionDetail>('/collections/tenancy.tenants');
  expect(tenants.isExact).toBe(false);
  expect(tenants.rows).toBeGreaterThan(10_000);
  await platform.harness.asOwner(`delete from tenancy.tenants where name = 'Many'`);
});

test('one table has columns, indexes and its guards, without its content', async () => {
  const keys = await get<CollectionDetail>('/collections/keys.keys');
  expect(keys).toMatchObject({ isTenantScoped: true, isRowSecurityForced: true });
  expect(keys.columns).toContainEqual({
    name: 'sealed_key',
    type: 'text',
    isNullable: false,
    hasDefault: false,
    isSealed: true,
  });
  expect(keys.indexes[0]).toMatchObject({ isPrimary: true, columns: ['tenant_id', 'key_id'] });
  await get('/collections/keys.none', 404);
  await get('/collections/pg_catalog.pg_authid', 404);
  await get('/collections/keys', 404);
  await get('/collections/No-Such.Table.', 404);
});

test('tables of the same name are told apart, one after another and all at once', async () => {
  for (const service of servicesWithSchema) {
    const outbox = await get<CollectionDetail>(`/collections/${service}.outbox`);
    expect(outbox).toMatchObject({ collectionName: `${service}.outbox`, isExact: true });
  }
  const names = servicesWithSchema.map((service) => `${service}.outbox`);
  const outboxes = await Promise.all(names.map((name) => get<CollectionDetail>(`/collections/${name}`)));
  expect(outboxes.map(({ collectionName }) => collectionName)).toEqual(names);
});

test('the schema shows keys and references', async () => {
  const schema = await get<SchemaTable[]>('/schema');
  const bots = schema.find(({ collectionName }) => collectionName === 'tenancy.bots');
  expect(bots).toMatchObject({
    primaryKey: ['tenant_id', 'bot_id'],
    foreignKeys: [{ columns: ['tenant_id'], references: 'tenancy.tenants', onDelete: 'cascade' }],
  });
});

test('migrations of all schemas are listed by name, the newest first, page by page', async () => {
  const all = await get<AppliedMigration[]>('/migrations?limit=500');
  expect(new Set(all.map(({ schema }) => schema))).toEqual(new Set(servicesWithSchema));
  expect(all.filter(({ name }) => name === '0000_tables')).toHaveLength(servicesWithSchema.length);
  const first = await platform.tenancy.call('GET', `${path}/migrations?limit=3`, {
    as: platform.acme.operator,
  });
  const [, next = ''] = /<([^>]*)>/.exec(first.headers.get('link') ?? '') ?? [];
  const second = await platform.tenancy.call('GET', next, { as: platform.acme.operator });
  expect([...(first.body as object[]), ...(second.body as object[])]).toEqual(all.slice(0, 6));
});

test('the sums are those of the tables', async () => {
  const stats = await get<DatabaseStats>('/stats');
  const agents = stats.schemas.find(({ schema }) => schema === 'agents');
  expect(agents?.collections).toBeGreaterThan(15);
  expect(stats.totalBytes).toBeLessThanOrEqual(stats.databaseBytes);
  expect(stats.connections.used).toBeLessThanOrEqual(stats.connections.most);
});

test('the health check measures the database, the reader, the bus and its stream', async () => {
  const health: DatabaseHealth = await callOk(platform.tenancy, 'POST', `${path}/health-check`, {
    as: platform.acme.operator,
    status: 200,
  });
  expect(health.status).toBe('ok');
  for (const probe of [health.database, health.reader, health.bus, health.stream]) {
    expect(probe.status).toBe('ok');
    expect(probe.latencyMs?.median).toBeGreaterThan(0);
  }
});

test('an admin of a tenant is not an operator', async () => {
  for (const below of ['/stats', '/collections', '/schema', '/migrations']) {
    await callOk(platform.tenancy, 'GET', `${path}${below}`, { as: platform.acme.admin, status: 403 });
  }
});
