import { RoundRobinQueue } from './round-robin-queue.ts';

/** Releases the slot while work waits for an external system, such as a model's answer. */
export type ReleaseWhile = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/**
 * Limits how many pieces of work use this process and its database at a time; beyond a few, they only wait for each
 * other. Free slots are given to tenants in turn. Work that waits for a model or a platform releases its slot
 * meanwhile, so slow answers hold none.
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

  /** Gives the slot to the next piece of work, if any. */
  #release(): void {
    const [next] = this.#waiting.take(1);
    if (next) next();
    else this.#free += 1;
  }
}
