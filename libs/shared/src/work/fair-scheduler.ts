import type { Log } from '../log/log.ts';

/** How many jobs to claim, and of which tenants. */
export interface Allotment {
  /** Limit of all jobs. */
  limit: number;
  /** Limit of a tenant's jobs, including its running ones. */
  share: number;
  /** Tenants take turns in the order of their ids. The claim begins after this one. */
  after: string;
  running: ReadonlyMap<string, number>;
}

interface FairSchedulerOptions<Job> {
  /** Number of jobs that run concurrently in this process. */
  slots: number;
  /** Claims due jobs, each tenant up to its share. */
  claim(allotment: Allotment): Promise<Job[]>;
  /** Claims due jobs of the only tenant that waits; nothing if several wait. */
  claimOfLone(limit: number): Promise<Job[]>;
  log: Log;
}

const beforeAll = '00000000-0000-0000-0000-000000000000';
const afterAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Fair shares of a process's slots (REQ-REL-9): a tenant has at most a fifth of them while another tenant waits, and
 * all of them otherwise. Each process applies this separately, so it also holds for all of them together. A further
 * fifth of slots is reserved for tenants below their share. Their jobs start immediately, even when another tenant's
 * slow work holds every slot.
 */
export class FairScheduler<Job extends { tenantId: string }> {
  readonly #options: FairSchedulerOptions<Job>;
  readonly #share: number;
  readonly #running = new Map<string, number>();
  #total = 0;
  #after = beforeAll;

  constructor(options: FairSchedulerOptions<Job>) {
    this.#options = options;
    this.#share = Math.max(1, Math.floor(options.slots / 5));
  }

  /** The slots, including the extra fifth. */
  get maxAtOnce(): number {
    return this.#options.slots + this.#share;
  }

  /** Whether a tenant has its full share, so that more of its jobs may wait than were claimed. */
  get hasHeldBack(): boolean {
    return [...this.#running.values()].some((count) => count >= this.#share);
  }

  /** Claims up to `limit` jobs; each counts as running until `end` is called with it. */
  async claim(limit: number): Promise<Job[]> {
    const { claim, claimOfLone, slots, log } = this.#options;
    const allotment = { limit, share: this.#share, after: this.#after, running: this.#running };
    const jobs = await claim(allotment);
    for (const job of jobs) this.#begin(job);
    this.#after = jobs.at(-1)?.tenantId ?? this.#after;
    const room = Math.min(limit - jobs.length, slots - this.#total);
    if (room <= 0 || !this.hasHeldBack) return jobs;
    try {
      const more = await claimOfLone(room);
      for (const job of more) this.#begin(job);
      return [...jobs, ...more];
    } catch (error) {
      log.warn({ err: error }, 'work beyond a share could not be claimed');
      return jobs;
    }
  }

  /** Counts a job as running if its tenant's share has room for it. If true, call `end` for it later. */
  tryBegin(job: Pick<Job, 'tenantId'>): boolean {
    const running = this.#running.get(job.tenantId) ?? 0;
    if (this.#total >= this.#options.slots || running >= this.#share) return false;
    this.#begin(job);
    return true;
  }

  end({ tenantId }: Pick<Job, 'tenantId'>): void {
    const left = (this.#running.get(tenantId) ?? 1) - 1;
    if (left > 0) this.#running.set(tenantId, left);
    else this.#running.delete(tenantId);
    this.#total -= 1;
  }

  #begin({ tenantId }: Pick<Job, 'tenantId'>): void {
    this.#running.set(tenantId, (this.#running.get(tenantId) ?? 0) + 1);
    this.#total += 1;
  }
}

/** Limit of tenants that one claim looks at, starting after the last claim's tenant and wrapping around. */
const maxTenants = 32;
const maxTenantsForLone = 1000;

interface FairQueue {
  table: string;
  key: string;
  /** Condition for a row `q` that may be claimed; it may have its own parameters. */
  isFree?: string;
  /** Condition for a row `q` that belongs to the queue, if the table also holds others. */
  isOfQueue?: string;
}

const whenLeaseEnded = '(q.lease_until is null or q.lease_until < now())';

/** Whether something in the queue may be claimed now. The queue's own condition is left to the claim. */
export const isQueueDue = (table: string): string =>
  `exists (select from ${table} q where q.ready_at <= now() and ${whenLeaseEnded})`;

/**
 * The `with` clauses of two statements that claim rows of a queue. Both end in `due`: the `key` of each claimed row,
 * which is locked.
 * - `fair` claims each tenant's rows up to its share, tenants in turn. `ring` lists the tenants, `candidates` their
 * rows.
 * - `lone` claims rows of the only tenant that waits, and none if several wait.
 * The table has `tenant_id`, `ready_at` and `lease_until`, and an index on (tenant_id, ready_at) where ready_at is
 * not null. `ring` jumps from tenant to tenant by that index, so the cost doesn't depend on the length of a backlog.
 */
export function fairQueue({ table, key, isFree = whenLeaseEnded, isOfQueue = 'true' }: FairQueue): {
  fair: string;
  lone: string;
} {
  const isDue = `q.ready_at <= now() and ${isOfQueue} and ${isFree}`;
  const nextTenant = (last = `'${afterAll}'::uuid`) => `(select q.tenant_id from ${table} q
        where q.ready_at is not null and ${isOfQueue} and q.tenant_id > ring.tenant_id and q.tenant_id <= ${last}
        order by q.tenant_id limit 1)`;
  return {
    // Its parameters are `allotmentValues`.
    fair: `with recursive ring (tenant_id, has_wrapped, step) as (
        values ($after::uuid, false, 0), ('${beforeAll}'::uuid, true, 0)
        union all select next.tenant_id, ring.has_wrapped, ring.step + 1
          from ring cross join lateral ${nextTenant(`case when ring.has_wrapped then $after::uuid else '${afterAll}' end`)} next
          where ring.step < ${maxTenants}
      ), candidates as (
        select mine.*, ring.has_wrapped, coalesce(held.count, 0)
            + row_number() over (partition by mine.tenant_id order by mine.ready_at) as place
        from ring left join unnest($tenantIds::uuid[], $runningCounts::int[]) as held (tenant_id, count) on held.tenant_id = ring.tenant_id
        cross join lateral (select ${key}, ready_at from ${table} q where q.tenant_id = ring.tenant_id and ${isDue}
          order by q.ready_at limit greatest(0, least($limit, $share - coalesce(held.count, 0))) for update skip locked) mine
        where ring.step > 0
      ), due as (
        select ${key} from candidates order by place, has_wrapped, tenant_id limit $limit
      )`,
    // Its parameter is $limit.
    lone: `with recursive ring (tenant_id, step) as (
        values ('${beforeAll}'::uuid, 0)
        union all select next.tenant_id, ring.step + 1 from ring cross join lateral ${nextTenant()} next
          where ring.step < ${maxTenantsForLone}
      ), waiting as (
        select tenant_id from ring where step > 0
          and exists (select from ${table} q where q.tenant_id = ring.tenant_id and ${isDue}) limit 2
      ), due as (
        select ${key} from ${table} q
        where (select count(*) from waiting) = 1 and q.tenant_id = (select tenant_id from waiting limit 1) and ${isDue}
        order by q.ready_at limit $limit for update skip locked
      )`,
  };
}

/** The values of `fairQueue`'s fair statement. */
export const allotmentValues = ({ limit, share, after, running }: Allotment) => ({
  limit,
  share,
  after,
  tenantIds: [...running.keys()],
  runningCounts: [...running.values()],
});
