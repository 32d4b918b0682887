import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pruneRows } from '../../../src/housekeeping/store/housekeeping.ts';
import { insertIdentityDelivery } from '../../../src/identity/store/identity-deliveries.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});

afterAll(() => harness?.close());

test('P5: a delivery of the identity provider is known for 8 days and then forgotten', async () => {
  const database = harness.databaseAs('webhooks');
  await harness.asOwner(`insert into webhooks.identity_deliveries values
    ('old', now() - interval '8 days 1 minute'), ('young', now() - interval '7 days 23 hours')`);
  await withPlatform(database, 'test', async (tx) => {
    expect(await insertIdentityDelivery(tx, 'young')).toBe(false);
    expect(await pruneRows('identity_deliveries')(tx)).toBe(1);
    expect(await insertIdentityDelivery(tx, 'old')).toBe(true);
    expect(await insertIdentityDelivery(tx, 'young')).toBe(false);
  });
});

test("a tenant's transaction sees none of them and can't write one", async () => {
  const database = harness.databaseAs('webhooks');
  const tenant = ['01920000-0000-7000-8000-000000000001'];
  const rows = await withTenant(database, tenant, (tx) =>
    tx.query({ name: 'test.all', text: 'select from webhooks.identity_deliveries', values: [] }),
  );
  expect(rows).toEqual([]);
  const insert = {
    name: 'test.one',
    text: `insert into webhooks.identity_deliveries values ('x')`,
    values: [],
  };
  await expect(withTenant(database, tenant, (tx) => tx.query(insert))).rejects.toThrow(/row-level security/);
});
