import { isConnectionFailure } from '../db/failures.ts';
import type { Log } from '../log/log.ts';
import { withoutSecrets } from '../log/without-secrets.ts';
import type { StallMonitor } from '../service/stalls.ts';

interface ClaimLoopOptions<Job> {
  /** The work's name, for the log. */
  name: string;
  /** Limit of concurrent jobs in this process. */
  maxConcurrent: number;
  /** Polling interval, for work that other instances left behind. Not used together with a `DueWatch`. */
  pollEveryMs?: number;
  /** Claims up to `limit` due jobs, with a lease, so that no other worker claims them. */
  claim(limit: number): Promise<Job[]>;
  run(job: Job): Promise<void>;
  /**
   * Whether the last claim may have left due jobs although there was room. If so, the loop claims again after every
   * job. Defaults to true; a caller that returns `false` wakes the loop when a job leaves more work.
   */
  mayHaveLeft?: () => boolean;
  log: Log;
  /** Receives failures to claim. */
  stalls: StallMonitor;
}

/**
 * Claims due jobs from the database and runs them concurrently, up to the limit. Woken when work arrives instead of
 * polling.
 */
export class ClaimLoop<Job> {
  readonly #options: ClaimLoopOptions<Job>;
  readonly #running = new Set<Promise<void>>();
  #poll: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  /** The last claim returned as many jobs as it was allowed to. */
  #wasFull = true;
  #isStopped = true;

  constructor(options: ClaimLoopOptions<Job>) {
    this.#options = options;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  start(): void {
    this.#isStopped = false;
    const { pollEveryMs } = this.#options;
    if (pollEveryMs !== undefined) this.#poll = setInterval(() => this.wake(), pollEveryMs).unref();
    this.wake();
  }

  /** Stops claiming and waits for running jobs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#poll);
    await this.#claiming;
    await Promise.all(this.#running);
  }

  /**
   * Reserves room for a job that is claimed elsewhere; `undefined` if there is none. Call the result with that job,
   * or with nothing if it was not claimed.
   */
  reserve(): ((job: Job | undefined) => void) | undefined {
    if (!this.#hasRoom()) return undefined;
    const { promise: claimed, resolve } = Promise.withResolvers<Job | undefined>();
    this.#track(claimed.then((job) => (job === undefined ? undefined : this.#options.run(job))));
    return resolve;
  }

  /** Called when work may be due now. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isStopped || this.#claiming) return;
    this.#claiming = this.#claimWhileWoken().finally(() => {
      this.#claiming = undefined;
      if (this.#isWoken && this.#hasRoom()) this.wake();
    });
  }

  /** Called when work will be due after this time. */
  wakeIn(delayMs: number): void {
    setTimeout(() => this.wake(), Math.max(0, delayMs)).unref();
  }

  #hasRoom(): boolean {
    return !this.#isStopped && this.#running.size < this.#options.maxConcurrent;
  }

  async #claimWhileWoken(): Promise<void> {
    const { claim, name, stalls, maxConcurrent } = this.#options;
    while (this.#isWoken && this.#hasRoom()) {
      this.#isWoken = false;
      const limit = maxConcurrent - this.#running.size;
      try {
        const jobs = await claim(limit);
        stalls.recovered(name);
        for (const job of jobs) this.#track(this.#options.run(job));
        this.#wasFull = jobs.length === limit;
        if (this.#wasFull) this.#isWoken = true;
      } catch (error) {
        this.#reportFailure(error as Error);
      }
    }
  }

  /** Readiness reports an unavailable database once for all loops. */
  #reportFailure(error: Error): void {
    const { log, name, stalls } = this.#options;
    log.debug({ err: error, loop: name }, 'work could not be claimed');
    if (isConnectionFailure(error)) return;
    const reason = `work can't be claimed: ${withoutSecrets(error.message)}`;
    stalls.failed(name, { reason, remedy: 'Look at Postgres, and at the error in this line.', error });
  }

  #track(work: Promise<void>): void {
    const { log, name, mayHaveLeft } = this.#options;
    const running = work
      .catch((error: unknown) => log.error({ err: error, loop: name }, 'a job failed'))
      .finally(() => {
        this.#running.delete(running);
        if (this.#isWoken || this.#wasFull || (mayHaveLeft?.() ?? true)) this.wake();
      });
    this.#running.add(running);
  }
}
