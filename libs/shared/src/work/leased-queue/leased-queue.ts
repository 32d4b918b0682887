import { withPlatform } from '../../db/database.ts';
import { isConnectionFailure } from '../../db/failures.ts';
import type { NamedValues } from '../../db/named-values.ts';
import { type CountedWarning, createCountedWarning } from '../../log/counted-warning.ts';
import { withoutSecrets } from '../../log/without-secrets.ts';
import type { Foundation } from '../../service/foundation.ts';
import type { Worker } from '../worker.ts';
import { allotmentValues, beforeAllTenants, type QueueTable, statementsOf } from './queue-table.ts';

/** The reason of a job's signal when another worker has the job, or it was cancelled: nothing of it may be written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The reason of the jobs' signals when the queue stops. A job gives its row back, and another process continues. */
export class QueueStopped extends Error {
  override readonly name = 'QueueStopped';
}

/** A worker's lease of a job. */
export interface Lease {
  /** Aborted with `LeaseLost` or `QueueStopped`. */
  readonly signal: AbortSignal;
  /** When the last claim or renewal was sent, by `performance.now()`: the lease lasts at least from then. */
  readonly heldSince: number;
}

/** A slot for a job that is claimed elsewhere. One of the two has to be called. */
export interface Slot<Job> {
  /** `heldSince` is when the claim was sent, by `performance.now()`. */
  run(job: Job, heldSince: number): void;
  giveBack(): void;
}

interface QueueOptions<Job> {
  /** The work's name, for the log and readiness; unique within the service. */
  name: string;
  table: QueueTable<Job>;
  /** Limit of concurrent jobs in this process. */
  slots: number;
  /**
   * With a share, tenants take turns (REQ-REL-9). A tenant runs at most so many jobs in this process while another one
   * waits, and may have all slots otherwise. So many more slots are kept for tenants below their share: they start
   * immediately, even when another tenant's slow jobs hold all other slots. Rounded down, but at least 1.
   */
  share?: number | undefined;
  /** Values for the table's `isFree` and `set`. */
  values?: () => NamedValues;
  /**
   * `false` if the commit of a claim needn't wait for the disk. A crash of the database then undoes claims, and two
   * workers can have the same fence.
   */
  isDurable?: boolean;
  /** The name under which the instance reports how many jobs wait or run. */
  depth?: string;
  run(job: Job, lease: Lease): Promise<void>;
}

/**
 * Runs the due rows of a table as jobs, each under a lease, concurrently up to a limit.
 *
 *     const queue = new LeasedQueue(deps, {
 *       name: 'files of chats',
 *       table: { table: 'webhooks.media', key: ['tenantId', 'mediaId'], columns: claimed, readyAt: 'q.due_at',
 *         leaseSeconds: 120, fence: 'attempts' },
 *       slots: 10,
 *       share: 2,
 *       run: (media, { signal }) => fetchMedia(deps, media, signal),
 *     });
 *
 * A claim takes due rows, ends earlier leases by increasing the fence, and is repeated while there may be more. It
 * happens when the queue starts, when `wake` is called because work was written, after a job where one may have been
 * left, and when `DueWatch` finds something due, such as work of a process that died. A lease with a fence is renewed
 * while its job runs. `run` ends the job, or gives it back, by statements of its own that check the fence.
 */
export class LeasedQueue<Job extends { tenantId: string }> implements Worker {
  readonly #deps: Pick<Foundation, 'database' | 'log' | 'stalls'>;
  readonly #options: QueueOptions<Job>;
  readonly #statements: ReturnType<typeof statementsOf<Job>>;
  readonly #warnOfRenewal: CountedWarning;
  /** The running jobs. */
  readonly #jobs = new Map<Job, AbortController>();
  readonly #reserved = new Set<{ tenantId: string }>();
  readonly #ends = new Set<Promise<void>>();
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  /** The last claim may have left due jobs. */
  #hasLeft = false;
  #isStopped = true;
  #after = beforeAllTenants;

  constructor(
    deps: Pick<Foundation, 'database' | 'due' | 'instance' | 'log' | 'stalls'>,
    options: QueueOptions<Job>,
  ) {
    this.#deps = deps;
    const { share } = options;
    this.#options = share === undefined ? options : { ...options, share: Math.max(1, Math.floor(share)) };
    this.#statements = statementsOf(options.table, options.share !== undefined);
    this.#warnOfRenewal = createCountedWarning(deps.log, 'a lease could not be renewed');
    const { name, depth } = options;
    deps.due.add({ name, isDue: this.#statements.isDue, wake: () => this.wake() });
    if (depth !== undefined) deps.instance.watchesQueue(depth, () => this.#depth());
  }

  /** The running jobs. */
  get jobs(): readonly Job[] {
    return [...this.#jobs.keys()];
  }

  start(): void {
    this.#isStopped = false;
    this.wake();
  }

  /** Stops claiming, aborts the signals of running jobs and waits for them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of this.#jobs.values()) job.abort(new QueueStopped());
    await this.#claiming;
    await Promise.all(this.#ends);
  }

  /** Called when work may be due now, or after this time. */
  wake(inMs = 0): void {
    if (inMs > 0) {
      setTimeout(() => this.wake(), inMs).unref();
      return;
    }
    this.#isWoken = true;
    if (this.#isStopped || this.#claiming) return;
    this.#claiming = this.#claimWhileWoken().finally(() => {
      this.#claiming = undefined;
      if (this.#isWoken && this.#freeSlots > 0) this.wake();
    });
  }

  /** A slot for a job that another transaction claims, within the tenant's share. `undefined` if there is none now. */
  reserve(tenantId: string): Slot<Job> | undefined {
    const { slots, share = slots } = this.#options;
    const taken = this.#jobs.size + this.#reserved.size;
    if (this.#isStopped || taken >= slots || (this.#runningCounts().get(tenantId) ?? 0) >= share)
      return undefined;
    const reserved = { tenantId };
    this.#reserved.add(reserved);
    return {
      run: (job, heldSince) => {
        this.#reserved.delete(reserved);
        this.#begin(job, heldSince);
      },
      giveBack: () => {
        this.#reserved.delete(reserved);
        if (this.#isWoken || this.#hasLeft || this.#holdsBack()) this.wake();
      },
    };
  }

  get #freeSlots(): number {
    const { slots, share = 0 } = this.#options;
    return this.#isStopped ? 0 : slots + share - this.#jobs.size - this.#reserved.size;
  }

  async #claimWhileWoken(): Promise<void> {
    while (this.#isWoken && this.#freeSlots > 0) {
      this.#isWoken = false;
      try {
        await this.#claim(this.#freeSlots);
        this.#deps.stalls.recovered(this.#options.name);
      } catch (error) {
        this.#reportFailure(error as Error);
      }
    }
  }

  /** Starts up to `limit` due jobs. */
  async #claim(limit: number): Promise<void> {
    const { name, table, values, isDurable = true } = this.#options;
    const heldSince = performance.now();
    const statement = {
      name: `${table.table}.claim ${name}`,
      text: this.#statements.claim,
      values: { ...this.#allotment(limit), ...values?.() },
    };
    const jobs = await withPlatform(this.#deps.database, `claim ${name}`, (tx) => tx.query(statement), {
      isDurable,
      isOneRoundTrip: true,
    });
    this.#after = jobs.at(-1)?.tenantId ?? this.#after;
    for (const job of jobs) this.#begin(job, heldSince);
    // A tenant whose jobs were held back may be the only one that still waits.
    if (jobs.length === limit || (jobs.length > 0 && this.#holdsBack())) this.#isWoken = true;
    this.#hasLeft = jobs.length === limit;
  }

  #allotment(limit: number): NamedValues {
    const { slots, share } = this.#options;
    if (share === undefined) return { limit };
    const free = Math.max(0, slots - this.#jobs.size - this.#reserved.size);
    return allotmentValues({ limit, share, free, after: this.#after, running: this.#runningCounts() });
  }

  #runningCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { tenantId } of [...this.#jobs.keys(), ...this.#reserved])
      counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
    return counts;
  }

  /** Whether a tenant has its full share, so that more of its jobs may wait than were claimed. */
  #holdsBack(): boolean {
    const { share } = this.#options;
    if (share === undefined) return false;
    return [...this.#runningCounts().values()].some((count) => count >= share);
  }

  #begin(job: Job, heldSince: number): void {
    const { log } = this.#deps;
    const { name, run, table } = this.#options;
    const aborting = new AbortController();
    const lease = { signal: aborting.signal, heldSince };
    if (this.#isStopped) aborting.abort(new QueueStopped());
    this.#jobs.set(job, aborting);
    const renewal = this.#statements.renew
      ? setInterval(() => void this.#renew(job, lease), (table.leaseSeconds * 1000) / 3)
      : undefined;
    const ended = run(job, lease)
      .catch((error: unknown) => log.error({ err: error, loop: name }, 'a job failed'))
      .finally(() => {
        clearInterval(renewal);
        const mayHaveLeft = this.#isWoken || this.#hasLeft || this.#holdsBack();
        this.#jobs.delete(job);
        this.#ends.delete(ended);
        if (mayHaveLeft) this.wake();
      });
    this.#ends.add(ended);
  }

  async #renew(job: Job, lease: { heldSince: number }): Promise<void> {
    const { name, table } = this.#options;
    const { key, fence } = table;
    const since = performance.now();
    try {
      const statement = {
        name: `${table.table}.renew ${name}`,
        text: this.#statements.renew!,
        values: Object.fromEntries([...key, fence!].map((field) => [field, job[field]])),
      };
      const renewed = await withPlatform(this.#deps.database, `renew ${name}`, (tx) => tx.first(statement), {
        isDurable: false,
        isOneRoundTrip: true,
      });
      if (renewed) {
        job[fence!] = renewed[fence!];
        lease.heldSince = since;
      } else this.#jobs.get(job)?.abort(new LeaseLost());
    } catch (error) {
      this.#warnOfRenewal(withoutSecrets(String(error)));
    }
  }

  /** Readiness reports an unavailable database once for all queues. */
  #reportFailure(error: Error): void {
    const { log, stalls } = this.#deps;
    const { name } = this.#options;
    log.debug({ err: error, loop: name }, 'work could not be claimed');
    if (isConnectionFailure(error)) return;
    const reason = `work can't be claimed: ${withoutSecrets(error.message)}`;
    stalls.failed(name, { reason, remedy: 'Look at Postgres, and at the error in this line.', error });
  }

  async #depth(): Promise<number> {
    const { name, table } = this.#options;
    const { waiting } = await withPlatform(this.#deps.database, 'queue depth', (tx) =>
      tx.one({ name: `${table.table}.depth ${name}`, text: this.#statements.depth, values: [] }),
    );
    return waiting;
  }
}
