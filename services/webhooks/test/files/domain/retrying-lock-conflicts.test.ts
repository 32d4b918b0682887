import { randomUUID } from 'node:crypto';
import { createDatabase, type Database, withTenant } from '@botyard/shared/db/database';
import { isLockConflict } from '@botyard/shared/db/failures';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { retryingLockConflicts } from '../../../src/files/domain/retrying-lock-conflicts.ts';
import { lockStorageUse } from '../../../src/files/store/storage.ts';

let harness: ServiceHarness;
let database: Database;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = createDatabase({
    url: harness.databaseUrl('webhooks'),
    applicationName: 'test-retrying-lock-conflicts',
    lockTimeoutMs: 50,
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await harness?.close();
});

/** A transaction that locks a tenant's mail storage until it is ended. */
async function hold(tenantId: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const holding = withTenant(database, [tenantId], async (tx) => {
    await lockStorageUse(tx, tenantId);
    held.resolve();
    await over.promise;
  });
  await held.promise;
  return async () => {
    over.resolve();
    await holding;
  };
}

test('a transaction that yielded to another one is retried, and nothing of its first run is kept', async () => {
  const tenantId = randomUUID();
  const release = await hold(tenantId);
  let runs = 0;
  const undone: number[] = [];
  const use = await retryingLockConflicts(database, tenantId, async (tx) => {
    runs += 1;
    const run = runs;
    tx.afterFailure(() => undone.push(run));
    if (run === 2) await release();
    return await lockStorageUse(tx, tenantId);
  });
  expect(use.bytes).toBe(0);
  expect(runs).toBe(2);
  expect(undone).toEqual([1]);
});

test('after three attempts it stops waiting for the lock, so that the delivery is answered in time', async () => {
  const tenantId = randomUUID();
  const release = await hold(tenantId);
  let runs = 0;
  const failure = await retryingLockConflicts(database, tenantId, async (tx) => {
    runs += 1;
    await lockStorageUse(tx, tenantId);
  }).catch((error: unknown) => error);
  expect(isLockConflict(failure)).toBe(true);
  expect(runs).toBe(3);
  await release();
});

test('any other failure ends it immediately', async () => {
  let runs = 0;
  const failing = retryingLockConflicts(database, randomUUID(), async () => {
    runs += 1;
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(runs).toBe(1);
});
