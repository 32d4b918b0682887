import { randomUUID } from 'node:crypto';
import type { Database } from '@botyard/shared/db/database';
import { DatabaseAwayError } from '@botyard/shared/db/failures';
import { createLog } from '@botyard/shared/log/log';
import { StallMonitor } from '@botyard/shared/service/stalls';
import { Instance } from '@botyard/shared/system/instance';
import { DueWatch } from '@botyard/shared/work/due-watch';
import { type Lease, LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addJobs, createTestTable, jobIdsOf, type TestJob, testTable } from './test-table.ts';

let harness: ServiceHarness;
let database: Database;
const log = createLog('agents', 'silent');

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
  await createTestTable(harness);
});
beforeEach(() => harness.asOwner('truncate agents.test_jobs'));
afterAll(() => harness?.close());

interface Started {
  job: TestJob;
  lease: Lease;
  end: () => void;
}

/** A queue whose jobs run until a test ends them. Stopped at the end of the test. */
function openQueue({
  slots,
  share,
  table = testTable,
}: {
  slots: number;
  share?: number;
  table?: typeof testTable;
}) {
  const due = new DueWatch({ database, schema: `agents.${randomUUID()}`, log });
  const running = new Map<TestJob, Started>();
  const all: Started[] = [];
  const instance = new Instance('agents');
  const queue = new LeasedQueue<TestJob>(
    { database, due, instance, log, stalls: new StallMonitor({ log }) },
    {
      // A name stands for one statement of a connection.
      name: [share, table.fence, table.isOfQueue].join(),
      table,
      slots,
      share,
      depth: 'test',
      run: async (job, lease) => {
        const { promise, resolve: end } = Promise.withResolvers<void>();
        lease.signal.addEventListener('abort', () => end());
        if (lease.signal.aborted) end();
        const started = { job, lease, end };
        running.set(job, started);
        all.push(started);
        await promise;
        // A job that was aborted also writes something before its end.
        await harness.asOwner(
          `update agents.test_jobs set ready_at = null, lease_until = null
           where tenant_id = $1 and job_id = $2 and fence = $3 and not $4`,
          [job.tenantId, job.jobId, job.fence, lease.signal.aborted],
        );
        running.delete(job);
      },
    },
  );
  onTestFinished(() => queue.stop());
  const countOf = (tenantId: string) => jobIdsOf([...running.keys()], tenantId).length;
  return { queue, due, running, all, countOf, instance };
}

const leaseEndOf = async ({ tenantId, jobId }: TestJob) => {
  const [row] = await harness.asOwner<{ lease_until: Date }>(
    'select lease_until from agents.test_jobs where tenant_id = $1 and job_id = $2',
    [tenantId, jobId],
  );
  return row!.lease_until;
};

describe('tenants in turn', () => {
  const slots = 10;
  const share = slots / 5;

  test('one that waits alone has all slots; a later one starts at once while its slow jobs continue', async () => {
    const [slow, late] = [randomUUID(), randomUUID()];
    const { queue, running, countOf } = openQueue({ slots, share });
    await addJobs(harness, slow, 30);
    queue.start();
    await eventually('all slots are taken', () => countOf(slow) === slots);
    await addJobs(harness, late, 5);
    queue.wake();
    await eventually('the late one has its share', () => countOf(late) === share);
    expect(running.size).toBe(slots + share);
  });

  test('while several wait, each runs its share at most, however often the queue is woken', async () => {
    const tenants = [randomUUID(), randomUUID()];
    const { queue, all, countOf } = openQueue({ slots, share });
    for (const tenantId of tenants) await addJobs(harness, tenantId, 30);
    queue.start();
    for (let ended = 0; ended < 20; ended += 1) {
      await eventually('both run their share', () =>
        tenants.every((tenantId) => countOf(tenantId) === share),
      );
      all[ended]!.end();
      queue.wake();
      await eventually('the next one runs', () => all.length === 2 * share + ended + 1);
    }
    expect(tenants.map(countOf)).toEqual([share, share]);
  });

  test('jobs that were held back for another tenant start as soon as only their tenant waits', async () => {
    const [many, few] = [randomUUID(), randomUUID()];
    const { queue, countOf } = openQueue({ slots, share });
    await addJobs(harness, many, 30);
    await addJobs(harness, few, 1);
    queue.start();
    await eventually('no slot is free', () => countOf(many) === slots - 1 && countOf(few) === 1);
  });
});

describe('a slot for a job that is claimed elsewhere', () => {
  const jobOf = (tenantId: string): TestJob => ({ tenantId, jobId: 1, fence: 1, leaseUntil: null });

  test('is given within the share of its tenant and the slots, and counts until its job ends', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const { queue, running } = openQueue({ slots: 3, share: 2 });
    expect(queue.reserve(one)).toBeUndefined();
    queue.start();
    const [first, second] = [queue.reserve(one), queue.reserve(one)];
    expect(queue.reserve(one)).toBeUndefined();
    expect(queue.reserve(other)).toBeDefined();
    expect(queue.reserve(randomUUID())).toBeUndefined();
    first!.giveBack();
    const job = jobOf(one);
    second!.run(job, performance.now());
    expect(queue.jobs).toEqual([job]);
    const third = queue.reserve(one);
    expect(third).toBeDefined();
    expect(queue.reserve(one)).toBeUndefined();
    third!.giveBack();
    running.get(job)!.end();
    await eventually('its job has ended', () => queue.jobs.length === 0);
  });

  test.each([
    [1.9, 1],
    [0.2, 1],
  ])('of a share of %s: %i, because it is rounded down, but at least one', (share, slots) => {
    const { queue } = openQueue({ slots: 9, share });
    queue.start();
    const tenantId = randomUUID();
    for (let taken = 0; taken < slots; taken += 1) expect(queue.reserve(tenantId)).toBeDefined();
    expect(queue.reserve(tenantId)).toBeUndefined();
  });

  test('that is given back is used for a job that waits for it', async () => {
    const { queue, countOf } = openQueue({ slots: 1 });
    queue.start();
    const slot = queue.reserve(randomUUID())!;
    const waiting = randomUUID();
    await addJobs(harness, waiting, 1);
    queue.wake();
    expect(countOf(waiting)).toBe(0);
    slot.giveBack();
    await eventually('it runs', () => countOf(waiting) === 1);
  });
});

test('without a share jobs run in the order in which they are due, and no more than there are slots', async () => {
  const [tenantId, other] = [randomUUID(), randomUUID()];
  const { queue, all, running } = openQueue({ slots: 2 });
  await addJobs(harness, tenantId, 9);
  await addJobs(harness, other, 1, { readyAt: "now() - interval '1 hour'" });
  queue.start();
  for (let ended = 0; ended < 8; ended += 1) {
    await eventually('both slots are taken', () => all.length === ended + 2);
    expect(running.size).toBe(2);
    all[ended]!.end();
  }
  await eventually('the last one runs', () => all.length === 10);
  expect(
    jobIdsOf(
      all.slice(0, 9).map(({ job }) => job),
      tenantId,
    ),
  ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(all.at(-1)!.job.tenantId).toBe(other);
});

describe('the lease of a job', () => {
  test('is renewed while the job runs, so that no other process takes it', async () => {
    await addJobs(harness, randomUUID(), 1);
    const [first, second] = [openQueue({ slots: 1 }), openQueue({ slots: 1 })];
    first.queue.start();
    const { job, lease } = await eventually('it runs', () => first.all[0]);
    const { heldSince } = lease;
    const end = await leaseEndOf(job);
    second.queue.start();
    await eventually('it outlived its first lease', async () => {
      second.queue.wake();
      return (await leaseEndOf(job)).getTime() > end.getTime() + testTable.leaseSeconds * 1000;
    });
    expect(lease.heldSince).toBeGreaterThan(heldSince);
    expect(second.all).toEqual([]);
  });

  test('that is lost aborts the job with the reason, and the next worker has another fence', async () => {
    await addJobs(harness, randomUUID(), 1);
    const [first, second] = [openQueue({ slots: 1 }), openQueue({ slots: 1 })];
    first.queue.start();
    const { job, lease } = await eventually('it runs', () => first.all[0]);
    await harness.asOwner("update agents.test_jobs set lease_until = now() - interval '1 second'");
    second.queue.start();
    const next = await eventually('another one runs it', () => second.all[0]);
    await eventually('the first one knows', () => lease.signal.aborted);
    expect(lease.signal.reason).toMatchObject({ name: 'LeaseLost' });
    expect([job.fence, next.job.fence]).toEqual([1, 2]);
    expect(next.lease.signal.aborted).toBe(false);
  });

  test('may be the fence, which renewals change', async () => {
    await addJobs(harness, randomUUID(), 1);
    const { queue, all } = openQueue({ slots: 1, table: { ...testTable, fence: 'leaseUntil' } });
    queue.start();
    const { job, lease } = await eventually('it runs', () => all[0]);
    const first = job.leaseUntil!.getTime();
    await eventually('it is renewed three times', () => job.leaseUntil!.getTime() > first + 1000);
    expect(job.fence).toBe(0);
    await harness.asOwner("update agents.test_jobs set lease_until = now() + interval '1 hour'");
    await eventually('it is lost', () => lease.signal.aborted);
  });

  test('is lost with the row that leaves the queue', async () => {
    await addJobs(harness, randomUUID(), 1);
    const { queue, all } = openQueue({
      slots: 1,
      table: { ...testTable, isOfQueue: 'q.ready_at is not null' },
    });
    queue.start();
    const { lease } = await eventually('it runs', () => all[0]);
    await harness.asOwner('update agents.test_jobs set ready_at = null');
    await eventually('it is lost', () => lease.signal.aborted);
    expect(lease.signal.reason).toMatchObject({ name: 'LeaseLost' });
  });

  test('that another process left behind is found by the watch of due work', async () => {
    const { queue, due, all } = openQueue({ slots: 1 });
    queue.start();
    await addJobs(harness, randomUUID(), 1, { leaseUntil: "now() - interval '1 second'" });
    await eventually('it is taken over', async () => {
      await due.look();
      return all.length === 1;
    });
  });
});

describe('a queue that is stopped', () => {
  test('aborts its jobs with the reason, waits for them, and claims no more', async () => {
    const { queue, all, running } = openQueue({ slots: 1 });
    await addJobs(harness, randomUUID(), 2);
    queue.start();
    const { lease } = await eventually('it runs', () => all[0]);
    await queue.stop();
    expect(lease.signal.reason).toMatchObject({ name: 'QueueStopped' });
    expect(running.size).toBe(0);
    queue.wake();
    expect(all).toHaveLength(1);
  });

  test('starts a job that it is claiming only to have it given back', async () => {
    const { queue, all } = openQueue({ slots: 1 });
    await addJobs(harness, randomUUID(), 1);
    queue.start();
    await queue.stop();
    expect(all.map(({ lease }) => lease.signal.aborted)).toEqual([true]);
  });
});

test('a job that was claimed again before its first worker ended is among the jobs until the second one ends', async () => {
  await addJobs(harness, randomUUID(), 1);
  const { queue, all, running } = openQueue({ slots: 2 });
  queue.start();
  const first = await eventually('it runs', () => all[0]);
  await harness.asOwner("update agents.test_jobs set lease_until = now() - interval '1 second'");
  const second = await eventually('it runs again', () => {
    queue.wake();
    return all[1];
  });
  first.end();
  await eventually('the first worker has ended', () => !running.has(first.job) && queue.jobs.length === 1);
  expect(queue.jobs).toEqual([second.job]);
});

test('a job that fails ends alone, and its slot is free', async () => {
  const tenantId = randomUUID();
  await addJobs(harness, tenantId, 2);
  const seen: number[] = [];
  const due = new DueWatch({ database, schema: 'agents.failing', log });
  const queue = new LeasedQueue<TestJob>(
    { database, due, instance: new Instance('agents'), log, stalls: new StallMonitor({ log }) },
    {
      name: 'failing',
      table: testTable,
      slots: 1,
      run: async ({ jobId }) => {
        seen.push(jobId);
        throw new Error('no');
      },
    },
  );
  queue.start();
  await eventually('both ran', () => seen.length === 2);
  await queue.stop();
});

/** A queue that has claimed nothing yet, with what it logs and reports. */
function failingQueue({ table = testTable.table, on = database }: { table?: string; on?: Database }) {
  const clock = { ms: 0 };
  const lines: string[] = [];
  const failingLog = createLog('agents', 'info', { write: (line) => void lines.push(JSON.parse(line).msg) });
  const stalls = new StallMonitor({ log: failingLog, now: () => clock.ms });
  const due = new DueWatch({ database, schema: `agents.${randomUUID()}`, log });
  let claims = 0;
  const counting: Database = {
    ...on,
    acquire: async () => {
      claims += 1;
      return await on.acquire();
    },
  };
  const queue = new LeasedQueue<TestJob>(
    { database: counting, due, instance: new Instance('agents'), log: failingLog, stalls },
    { name: 'sender', table: { ...testTable, table }, slots: 1, run: async () => undefined },
  );
  queue.start();
  onTestFinished(() => queue.stop());
  const claimsMore = async () => {
    const before = claims;
    await eventually('it claims again', () => {
      queue.wake();
      return claims > before + 2;
    });
  };
  return { clock, lines, stalls, claimsMore };
}

test('rule 22: a queue that can claim nothing is shown after 5 s with its reason, logged once, and no longer once it can', async () => {
  const { clock, lines, stalls, claimsMore } = failingQueue({ table: 'agents.later_jobs' });
  await claimsMore();
  expect(stalls.list()).toEqual([]);
  clock.ms = 5000;
  await claimsMore();
  const reason = 'work can\'t be claimed: relation "agents.later_jobs" does not exist';
  expect(stalls.list()).toMatchObject([{ part: 'sender', reason }]);
  expect(lines).toEqual([`stalled: sender: ${reason}. Look at Postgres, and at the error in this line.`]);
  await harness.asOwner(`create table agents.later_jobs (like agents.test_jobs including all);
    grant select, update on agents.later_jobs to botyard_agents`);
  await claimsMore();
  expect(stalls.list()).toEqual([]);
  expect(lines.at(-1)).toBe('no longer stalled: sender');
});

test('an unreachable database is not reported as a stall of each queue, nor with a line for each of them', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const away: Database = { ...database, acquire: () => Promise.reject(new DatabaseAwayError(refused)) };
  const { clock, lines, stalls, claimsMore } = failingQueue({ on: away });
  await claimsMore();
  clock.ms = 60_000;
  await claimsMore();
  expect(stalls.list()).toEqual([]);
  expect(lines).toEqual([]);
});

test('a process reports how many jobs wait or run', async () => {
  const { instance } = openQueue({ slots: 1 });
  await addJobs(harness, randomUUID(), 3);
  await addJobs(harness, randomUUID(), 2, { leaseUntil: "now() + interval '1 minute'" });
  expect(await instance.queues()).toEqual({ test: 5 });
});
