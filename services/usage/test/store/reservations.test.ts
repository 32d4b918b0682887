import { withPlatform } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOldReservations } from '../../src/store/reservations.ts';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

test('tidying removes long expired reservations, a batchSize at a time, and keeps those that may still be requested', async () => {
  const database = harness.databaseAs('usage');
  await harness.asOwner(
    `insert into usage.reservations select gen_random_uuid(), gen_random_uuid(), 1, 1, 1, 0,
       now() - n * interval '1 minute' from generate_series(-1, 5100) n`,
  );
  const tidy = () => withPlatform(database, 'test', deleteOldReservations);
  expect([await tidy(), await tidy(), await tidy()]).toEqual([true, false, false]);
  const left = await harness.asOwner(`select from usage.reservations`);
  expect(left.length).toBeGreaterThanOrEqual(61);
  expect(left.length).toBeLessThanOrEqual(62);
});
