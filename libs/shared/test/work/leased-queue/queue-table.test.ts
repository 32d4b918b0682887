import { randomUUID } from 'node:crypto';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import {
  type Allotment,
  allotmentValues,
  beforeAllTenants,
  statementsOf,
} from '@botyard/shared/work/leased-queue/queue-table';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addJobs, createTestTable, jobIdsOf, testTable } from './test-table.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  await createTestTable(harness);
});
beforeEach(() => harness.asOwner('truncate agents.test_jobs'));
afterAll(() => harness?.close());

const { claim: text } = statementsOf(testTable, true);
const tenantsInOrder = (count: number) => Array.from({ length: count }, () => randomUUID()).sort();
const inTx = <Result>(work: (tx: PlatformTx) => Promise<Result>) =>
  withPlatform(harness.databaseAs('agents'), 'test', work, { isOneRoundTrip: true });
const claimIn = (tx: PlatformTx, change: Partial<Allotment>) =>
  tx.query({
    name: 'test.claim',
    text,
    values: allotmentValues({
      limit: 24,
      share: 4,
      free: 20,
      after: randomUUID(),
      running: new Map(),
      ...change,
    }),
  });
const claim = (change: Partial<Allotment> = {}) => inTx((tx) => claimIn(tx, change));

describe('of tenants that wait together', () => {
  test('each gets at most its share, beginning with its longest waiting jobs', async () => {
    const [flooding, small] = [randomUUID(), randomUUID()];
    await addJobs(harness, flooding, 50);
    await addJobs(harness, small, 3);
    const jobs = await claim();
    expect(jobIdsOf(jobs, flooding)).toEqual([1, 2, 3, 4]);
    expect(jobIdsOf(jobs, small)).toEqual([1, 2, 3]);
  });

  test('one that has its share running gets nothing more', async () => {
    const [flooding, small] = [randomUUID(), randomUUID()];
    await addJobs(harness, flooding, 50);
    await addJobs(harness, small, 3);
    const jobs = await claim({ limit: 2, running: new Map([[flooding, 3]]) });
    expect(jobIdsOf(jobs, small)).toEqual([1, 2]);
    const running = new Map([
      [flooding, 9],
      [small, 2],
    ]);
    expect(jobIdsOf(await claim({ running, free: 0 }), flooding)).toEqual([]);
  });

  test('each gets one before any gets a second one', async () => {
    const tenants = tenantsInOrder(10);
    for (const tenantId of tenants) await addJobs(harness, tenantId, 20);
    const jobs = await claim({ limit: 10 });
    expect(jobs.map(({ tenantId }) => tenantId).sort()).toEqual(tenants);
  });

  test('those with fewer running jobs are served first', async () => {
    const tenants = tenantsInOrder(4);
    for (const tenantId of tenants) await addJobs(harness, tenantId, 20);
    const running = new Map(tenants.slice(0, 3).map((tenantId) => [tenantId, 1]));
    expect((await claim({ limit: 1, running })).map(({ tenantId }) => tenantId)).toEqual([tenants[3]]);
  });

  test('all have had a turn when as many were claimed, one after the other, as there are tenants', async () => {
    const tenants = tenantsInOrder(140);
    for (const tenantId of tenants) await addJobs(harness, tenantId, 2);
    const turns: string[] = [];
    for (const _tenant of tenants) {
      const [job] = await claim({ limit: 1, after: turns.at(-1) ?? tenants[80]! });
      turns.push(job!.tenantId);
    }
    expect(turns.toSorted()).toEqual(tenants);
  });
});

describe('a tenant that waits alone', () => {
  test('gets all free slots', async () => {
    const alone = randomUUID();
    await addJobs(harness, alone, 30);
    expect(jobIdsOf(await claim({ free: 6 }), alone)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('gets its share of the slots that are kept, when the others are taken', async () => {
    const alone = randomUUID();
    await addJobs(harness, alone, 30);
    expect(jobIdsOf(await claim({ free: 0, running: new Map([[alone, 1]]) }), alone)).toEqual([1, 2, 3]);
  });

  test('is alone if the jobs of all others are held, or ready later, however many they are', async () => {
    const [alone, ...others] = tenantsInOrder(201);
    await addJobs(harness, alone!, 10);
    for (const [index, tenantId] of others.entries())
      await addJobs(
        harness,
        tenantId,
        2,
        index % 2 === 0 ? { leaseUntil: "now() + interval '1 minute'" } : { readyAt: 'now()' },
      );
    await harness.asOwner(
      `update agents.test_jobs set ready_at = now() + interval '1 hour' where ready_at > now()`,
    );
    for (const after of [beforeAllTenants, others[100]!, others.at(-1)!]) {
      await harness.asOwner('update agents.test_jobs set lease_until = null where tenant_id = $1', [alone]);
      expect(jobIdsOf(await claim({ after }), alone!)).toHaveLength(10);
    }
  });
});

test('a claim ends the leases that have expired, and takes no others', async () => {
  const tenantId = randomUUID();
  await addJobs(harness, tenantId, 1, { leaseUntil: "now() - interval '1 second'" });
  expect(await claim()).toMatchObject([{ tenantId, jobId: 1, fence: 1 }]);
  expect(await claim()).toEqual([]);
});

test('with 10,000 waiting jobs of one tenant a claim reads few rows, and none past the index', async () => {
  const [flooding, ...others] = tenantsInOrder(21);
  await addJobs(harness, flooding!, 10_000);
  for (const tenantId of others) await addJobs(harness, tenantId, 3);
  await harness.asOwner('analyze agents.test_jobs');
  const readBy = (change: Partial<Allotment>) =>
    inTx(async (tx) => {
      const [jobs, after] = await Promise.all([claimIn(tx, change), readSoFar(tx)]);
      expect(jobs.length).toBeGreaterThan(0);
      return after;
    });
  const readSoFar = async (tx: PlatformTx) => {
    const [row] = await tx.query<{ scans: number; rows: number }>({
      name: 'test.reads',
      text: `select seq_scan::int as scans, (idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables
             where schemaname = 'agents' and relname = 'test_jobs'`,
      values: [],
    });
    return row!;
  };
  const several = { limit: 76, share: 12, free: 64, running: new Map([[flooding!, 11]]) };
  // Wherever the last claim ended: before the tenant that floods, at it, or behind all.
  const reads = [];
  for (const after of [beforeAllTenants, flooding!, others.at(-1)!])
    reads.push(await readBy({ ...several, after }));
  await harness.asOwner('delete from agents.test_jobs where tenant_id <> $1', [flooding]);
  reads.push(await readBy(several));
  for (const { scans, rows } of reads) {
    expect(scans).toBe(0);
    expect(rows).toBeLessThan(500);
  }
  process.stdout.write(
    `claims beside 10,000 waiting read ${reads.map(({ rows }) => rows).join(', ')} rows\n`,
  );
});
