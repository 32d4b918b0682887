import {
  type AnyTx,
  createDatabase,
  type Database,
  withPlatform,
  withTenant,
} from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Few connections and much traffic: each connection serves everybody in turn (I-09). */
const connections = 3;
const atOnce = 12;

let harness: ServiceHarness;
let database: Database;
const tenantIds = Array.from({ length: 4 }, (_, index) => `01920000-0000-7000-8000-00000000010${index}`);

beforeAll(async () => {
  harness = await ServiceHarness.open();
  await harness.asOwner(`insert into tenancy.tenants (tenant_id, name) select unnest($1::uuid[]), 'Acme'`, [
    tenantIds,
  ]);
  database = createDatabase({
    url: harness.databaseUrl('tenancy'),
    applicationName: 'test-pool-reuse',
    maxConnections: connections,
    acquireTimeoutMs: 10_000,
    statementTimeoutMs: 300,
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await harness?.close();
});

const select = {
  name: 'test.tenants',
  text: 'select tenant_id from tenancy.tenants where not is_platform order by 1',
  values: [],
};
/** How a transaction ends after its query. */
const ends = {
  commits: '',
  throws: '',
  'has a fault': 'select 1 / 0',
  'hangs until it is cancelled': 'select pg_sleep(5)',
  'loses its connection': 'select pg_terminate_backend(pg_backend_pid())',
} as const;
type End = keyof typeof ends;

const use = fc.record({
  tenants: fc.subarray(tenantIds),
  way: fc.constantFrom('transaction', 'one statement', 'nobody', 'platform'),
  end: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom<End>('commits', 'throws', 'has a fault') },
    { weight: 1, arbitrary: fc.constantFrom<End>('hangs until it is cancelled', 'loses its connection') },
  ),
});
type Use = typeof use extends fc.Arbitrary<infer One> ? One : never;

/** The tenants whose rows were visible, which must be the expected ones. */
async function seenBy({ tenants, way, end }: Use): Promise<{ seen: string[]; due: string[] }> {
  let seen: string[] = [];
  const look = async (tx: AnyTx) => {
    seen = (await tx.query<{ tenant_id: string }>(select)).map(({ tenant_id }) => tenant_id);
    if (end === 'throws') throw new Error('thrown');
    if (ends[end] !== '') await tx.query({ name: `test.${end}`, text: ends[end], values: [] });
  };
  if (way === 'nobody') {
    const { rows } = await database.pool.query<{ tenant_id: string }>(select.text);
    return { seen: rows.map(({ tenant_id }) => tenant_id), due: [] };
  }
  if (way === 'platform') {
    await withPlatform(database, 'test', (tx) => look(tx)).catch(() => undefined);
    return { seen, due: tenantIds };
  }
  if (tenants.length === 0) return { seen, due: [] };
  if (way === 'transaction') {
    await withTenant(database, tenants, (tx) => look(tx)).catch(() => undefined);
  } else {
    seen = (
      await withTenant(database, tenants, (tx) => tx.query<{ tenant_id: string }>(select), {
        isOneRoundTrip: true,
      })
    ).map((row) => row.tenant_id);
  }
  return { seen, due: tenants.toSorted() };
}

test('I-09: a transaction sees only its own tenants, after any previous transaction of its connection and any end of that', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(use, { minLength: 60, maxLength: 60 }), async (uses) => {
      const waiting = uses.values();
      const work = async () => {
        for (const one of waiting) {
          const { seen, due } = await seenBy(one);
          expect({ ...one, seen }).toEqual({ ...one, seen: due });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    }),
    { numRuns: 12 },
  );
});
