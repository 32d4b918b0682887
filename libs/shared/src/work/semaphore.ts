import { RoundRobinQueue } from './round-robin-queue.ts';

/** Gives the slot back while something outside this process is waited for, such as a model's answer. */
export type ReleaseWhile = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/**
 * Limits how many pieces of work use this process and its database at a time. Beyond a few, more at once only wait for
 * each other. Tenants get free slots in turn. Work that waits for a model or a platform releases its slot meanwhile, so
 * slow answers hold none.
 */
export class Semaphore {
  readonly #waiting = new RoundRobinQueue<() => void>();
  #free: number;

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Runs a tenant's work in a slot. The work may call `releaseWhile`, once at a time. */
  async run<Result>(
    tenantId: string,
    work: (releaseWhile: ReleaseWhile) => Promise<Result>,
  ): Promise<Result> {
    const releaseWhile: ReleaseWhile = async (wait) => {
      this.#release();
      try {
        return await wait();
      } finally {
        await this.#acquire(tenantId);
      }
    };
    await this.#acquire(tenantId);
    try {
      return await work(releaseWhile);
    } finally {
      this.#release();
    }
  }

  async #acquire(tenantId: string): Promise<void> {
    if (this.#free === 0) return await new Promise((resolve) => this.#waiting.add(tenantId, resolve));
    this.#free -= 1;
  }

  /** The slot goes to the next one that waits, if there is one. */
  #release(): void {
    const [next] = this.#waiting.take(1);
    if (next) next();
    else this.#free += 1;
  }
}
