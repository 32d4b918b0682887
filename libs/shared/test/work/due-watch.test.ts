import { createDatabase, type Database, withPlatform } from '@botyard/shared/db/database';
import { DueWatch } from '@botyard/shared/work/due-watch';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let harness: ServiceHarness;
let database: Database;
let watch: DueWatch;
let woken: string[];

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = createDatabase({
    url: harness.databaseUrl('tenancy'),
    applicationName: 'test-due-watch',
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await harness?.close();
});
beforeEach(() => {
  woken = [];
});

const tenantId = '01920000-0000-7000-8000-000000000001';
const isThere = `exists (select from tenancy.tenants where tenant_id = '${tenantId}')`;

let watches = 0;

function watching(conditions: Readonly<Record<string, string>>, on = database): void {
  // A name stands for one statement of a connection.
  watches += 1;
  watch = new DueWatch({ database: on, schema: `test_${watches}`, log: harness.log('test') });
  for (const [name, isDue] of Object.entries(conditions))
    watch.add({ name, isDue, wake: () => void woken.push(name) });
}

const wokenByLook = async () => {
  woken = [];
  await watch.look();
  return woken;
};

test('only work with something due is woken, once in each look, whichever tenant it is of', async () => {
  watching({ tenants: isThere, never: 'false', 'with a space': "now() > now() - interval '1 second'" });
  expect(await wokenByLook()).toEqual(['with a space']);
  await withPlatform(database, 'test', (tx) =>
    tx.query({
      name: 'test.insert',
      text: "insert into tenancy.tenants (tenant_id, name) values ($1, 'Due')",
      values: [tenantId],
    }),
  );
  expect(await wokenByLook()).toEqual(['tenants', 'with a space']);
});

test('while the check fails everything is woken each time, and one last time when it succeeds', async () => {
  const fault: { error?: Error } = { error: new Error('connect ECONNREFUSED') };
  const away: Database = {
    ...database,
    acquire: async () => {
      if (fault.error) throw fault.error;
      return await database.acquire();
    },
  };
  watching({ first: 'false', second: 'false' }, away);
  expect(await wokenByLook()).toEqual(['first', 'second']);
  expect(await wokenByLook()).toEqual(['first', 'second']);
  delete fault.error;
  expect(await wokenByLook()).toEqual(['first', 'second']);
  expect(await wokenByLook()).toEqual([]);
});

test('a condition that fails wakes everything, so that each work reports its own fault', async () => {
  watching({ sound: 'false', broken: 'exists (select from tenancy.no_such_table)' });
  expect(await wokenByLook()).toEqual(['sound', 'broken']);
});

test('work that no condition reports is still looked for, in turn', async () => {
  watching({ first: 'false', second: 'false' });
  const all: string[] = [];
  for (let look = 0; look < 10; look += 1) all.push(...(await wokenByLook()));
  expect(all).toEqual(['second', 'first']);
});
