import { isConnectionFailure } from '../db/failures.ts';
import type { Log } from '../log/log.ts';
import { withoutSecrets } from '../log/without-secrets.ts';
import type { StallMonitor } from '../service/stalls.ts';

interface ClaimLoopOptions<Job> {
  /** The work's name, for the log. */
  name: string;
  /** Most jobs at the same time in this process. */
  maxConcurrent: number;
  /** Polling interval, for work that other instances left behind. Never where a `DueWatch` wakes it. */
  pollEveryMs?: number;
  /** Takes up to `limit` jobs that are due, with a lease, so that no other worker takes them. */
  claim(limit: number): Promise<Job[]>;
  run(job: Job): Promise<void>;
  /**
   * Whether something that is due may have been left by the last claim, although there was room for it: then the end of
   * every job looks again. By default it may; who says `false` wakes the loop when a job leaves more to do.
   */
  mayHaveLeft?: () => boolean;
  log: Log;
  /** Shows that nothing can be claimed. */
  stalls: StallMonitor;
}

/**
 * Claims due jobs from the database and runs them, as many at once as allowed. Woken, not polled, when work arrives.
 */
export class ClaimLoop<Job> {
  readonly #options: ClaimLoopOptions<Job>;
  readonly #running = new Set<Promise<void>>();
  #poll: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  /** The last claim took as much as it was allowed to. */
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

  /** Claims no more, and waits for the jobs that run. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#poll);
    await this.#claiming;
    await Promise.all(this.#running);
  }

  /**
   * Keeps room for a job that is claimed elsewhere. To be called with that job, or with nothing when it was not
   * claimed. `undefined` when there is no room.
   */
  reserve(): ((job: Job | undefined) => void) | undefined {
    if (!this.#hasRoom()) return undefined;
    const { promise: claimed, resolve } = Promise.withResolvers<Job | undefined>();
    this.#track(claimed.then((job) => (job === undefined ? undefined : this.#options.run(job))));
    return resolve;
  }

  /** Work may be due now. */
  wake(): void {
    this.#isWoken = true;
    if (this.#isStopped || this.#claiming) return;
    this.#claiming = this.#claimWhileWoken().finally(() => {
      this.#claiming = undefined;
      if (this.#isWoken && this.#hasRoom()) this.wake();
    });
  }

  /** Work will be due after this time. */
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

  /** Readiness shows by itself that the database is away, for all loops together. */
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
