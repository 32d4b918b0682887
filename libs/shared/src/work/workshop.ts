import { Turns } from './turns.ts';

/** Waits for what somebody else does, and gives what comes of it. */
export type Outside = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/**
 * Places for work that needs this process and its database, few of them: more at once would not be done sooner, only wait
 * for each other, and so would whoever comes next. Tenants take turns at the door. Whoever waits for somebody else meanwhile, a
 * model or a platform, steps outside, so that slow answers take no place.
 */
export class Workshop {
  readonly #atTheDoor = new Turns<() => void>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Does a tenant's work in a place; what the work waits for `outside`, it waits for without it. One such wait at a time. */
  async within<Result>(tenantId: string, work: (outside: Outside) => Promise<Result>): Promise<Result> {
    const outside: Outside = async (wait) => {
      this.#leave();
      try {
        return await wait();
      } finally {
        await this.#enter(tenantId);
      }
    };
    await this.#enter(tenantId);
    try {
      return await work(outside);
    } finally {
      this.#leave();
    }
  }

  async #enter(tenantId: string): Promise<void> {
    if (this.#free === 0) return await new Promise((resolve) => this.#atTheDoor.add(tenantId, resolve));
    this.#free -= 1;
  }

  /** The place goes to the next one at the door, if there is one. */
  #leave(): void {
    const [next] = this.#atTheDoor.take(1);
    if (next) next();
    else this.#free += 1;
  }
}
