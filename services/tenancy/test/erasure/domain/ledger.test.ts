import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDatabase, type Database, withTenant } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { noteInLedger, reapplyAll } from '../../../src/erasure/domain/ledger.ts';
import { insertErasure } from '../../../src/erasure/store/erasures.ts';

let harness: ServiceHarness;
let database: Database;
let requestedKeys: string[];
let kept: Map<string, Buffer>;
const tenantIds = Array.from({ length: 4 }, (_, index) => `01920000-0000-7000-8000-00000000020${index}`);
const [tenantId = '', otherId = ''] = tenantIds;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  await harness.asOwner(`insert into tenancy.tenants (tenant_id, name) select unnest($1::uuid[]), 'Acme'`, [
    tenantIds,
  ]);
  database = createDatabase({
    url: harness.databaseUrl('tenancy'),
    applicationName: 'test-ledger',
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await harness?.close();
});
beforeEach(async () => {
  requestedKeys = [];
  kept = new Map();
  await harness.asOwner('delete from tenancy.erasures');
  await harness.asOwner('delete from tenancy.ledger_marks');
});

const objects: ObjectStore = {
  put: async (key, content) => void kept.set(key, await buffer(content)),
  get: async (key) => {
    requestedKeys.push(key);
    const bytes = kept.get(key);
    return bytes ? Readable.from([bytes]) : null;
  },
  remove: async (key) => void kept.delete(key),
  sweep: async () => 0,
};
/** How many ledgers a look reads, and how many erasures it begins again. */
async function look(): Promise<{ ledgers: number; begun: number }> {
  requestedKeys = [];
  const begun = await reapplyAll({ database, objects }, () => false);
  return { ledgers: requestedKeys.filter((key) => key.endsWith('/ledger')).length, begun };
}
async function erase(ofTenant = tenantId): Promise<string> {
  const erasureId = randomUUID();
  await withTenant(database, [ofTenant], (tx) =>
    insertErasure(tx, {
      tenantId: ofTenant,
      erasureId,
      personIds: [randomUUID()],
      erasedBefore: new Date(),
      sealedSubject: null,
      createdBy: null,
    }),
  );
  await noteInLedger({ database, objects }, ofTenant);
  return erasureId;
}
const storedIds = async () =>
  (await harness.asOwner<{ erasure_id: string }>('select erasure_id from tenancy.erasures')).map(
    ({ erasure_id }) => erasure_id,
  );
/** Takes a backup; the returned function restores it. */
async function backup(): Promise<() => Promise<void>> {
  const ids = await storedIds();
  const marks = await harness.asOwner<{ mark: string }>('select mark from tenancy.ledger_marks');
  return async () => {
    await harness.asOwner('delete from tenancy.erasures where erasure_id <> all ($1::uuid[])', [ids]);
    await harness.asOwner('update tenancy.ledger_marks set mark = $1', [marks[0]?.mark]);
  };
}

test('the ledgers of all tenants are read once, and never again while the database is the same', async () => {
  expect((await look()).ledgers).toBeGreaterThanOrEqual(tenantIds.length);
  expect(await look()).toEqual({ ledgers: 0, begun: 0 });
  await erase();
  expect(await look()).toEqual({ ledgers: 0, begun: 0 });
});

test('after a restore every erasure since the backup begins again, for every way in which it was recorded', async () => {
  await look();
  await erase();
  const restore = await backup();
  const lost = [await erase(), await erase(otherId)];
  await restore();
  expect((await look()).begun).toBe(2);
  expect(await storedIds()).toEqual(expect.arrayContaining(lost));
  expect(await look()).toEqual({ ledgers: 0, begun: 0 });
});

test('an erasure that is recorded before the first check does not hide that the database was restored', async () => {
  await look();
  const restore = await backup();
  const lost = await erase();
  await restore();
  await erase(otherId);
  expect((await look()).begun).toBe(1);
  expect(await storedIds()).toContain(lost);
});

test('a database that is restored from before there was a mark is compared', async () => {
  await look();
  const lost = await erase();
  await harness.asOwner('delete from tenancy.erasures');
  await harness.asOwner('delete from tenancy.ledger_marks');
  expect((await look()).begun).toBe(1);
  expect(await storedIds()).toEqual([lost]);
});
