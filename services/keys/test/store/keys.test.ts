import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteKey, getKeyToValidate, listCandidates, listKeys, lockKey } from '../../src/store/keys.ts';
import { type KeysServices, openKeysServices, storeKey } from '../keys-services.ts';

let services: KeysServices;
let keyId: string;

beforeAll(async () => {
  services = await openKeysServices();
  keyId = await storeKey(services.keys, services.acme);
});

afterAll(() => services?.harness.close());

const everything = { name: 'test.everything', text: 'select key_id from keys.keys', values: [] };

test('row-level security: every query of another tenant finds nothing, with any arguments', async () => {
  const { harness, acme, other } = services;
  const database = harness.databaseAs('keys');
  const { tenantId } = acme;
  const results = await withTenant(database, [other.tenantId], async (tx) => [
    await tx.query(everything),
    await listKeys(tx, tenantId, { limit: 10, sort: '-createdAt' }),
    await listCandidates(tx, { tenantId, provider: 'openai' }),
    await lockKey(tx, { tenantId, keyId }),
    await getKeyToValidate(tx, { tenantId, keyId }),
    await deleteKey(tx, { tenantId, keyId }),
  ]);
  expect(results).toEqual([[], [], [], undefined, undefined, false]);
  expect(await withTenant(database, [tenantId], (tx) => tx.query(everything))).toEqual([{ key_id: keyId }]);
});

test('row-level security: without a scope nothing is visible, also on a connection that had one before', async () => {
  const database = services.harness.databaseAs('keys');
  const { tenantId } = services.acme;
  const client = await database.pool.connect();
  expect((await client.query(everything.text)).rows).toEqual([]);
  await client.query(`begin; select set_config('app.tenant_ids', '${tenantId}', true); commit`);
  expect((await client.query(everything.text)).rows).toEqual([]);
  client.release();
});

test('row-level security: a tenant cannot write a row for another one', async () => {
  const { harness, acme, other } = services;
  const move = { name: 'test.move', text: 'update keys.keys set tenant_id = $1', values: [other.tenantId] };
  const moving = withTenant(harness.databaseAs('keys'), [acme.tenantId], (tx) => tx.query(move));
  await expect(moving).rejects.toThrow(/row-level security/);
});

test("the service's role can neither truncate nor define anything, nor see another schema", async () => {
  const database = services.harness.databaseAs('keys');
  for (const text of ['truncate keys.keys', 'create table keys.more ()', 'select * from tenancy.users']) {
    const attempt = withPlatform(database, 'test', (tx) => tx.query({ name: text, text, values: [] }));
    await expect(attempt).rejects.toThrow(/permission denied/);
  }
});

test('resolution reads by an index that leads with the tenant', async () => {
  const [index] = await services.harness.asOwner<{ indexdef: string }>(
    "select indexdef from pg_indexes where schemaname = 'keys' and indexname = 'keys_by_scope'",
  );
  expect(index?.indexdef).toMatch(/\(tenant_id, provider, scope_type, scope_id, key_id\)$/);
});
