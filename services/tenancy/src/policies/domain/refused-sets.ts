const refusedForMs = 10 * 60_000;
const maxKept = 1000;

/** A tenant's policies at one moment. */
export interface PolicyRevision {
  tenantId: string;
  /** Changes whenever any of the policies does. */
  revision: string;
}

/**
 * Sets that could not be decided in time, or that broke an instance of Cedar. They are refused without another attempt
 * until they change, or until ten minutes have passed.
 */
export class RefusedSets {
  readonly #sets = new Map<string, { revision: string; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add({ tenantId, revision }: PolicyRevision): void {
    this.#sets.delete(tenantId);
    this.#sets.set(tenantId, { revision, until: this.#now() + refusedForMs });
    const [oldest] = this.#sets.keys();
    if (this.#sets.size > maxKept && oldest !== undefined) this.#sets.delete(oldest);
  }

  has({ tenantId, revision }: PolicyRevision): boolean {
    const entry = this.#sets.get(tenantId);
    return entry?.revision === revision && entry.until > this.#now();
  }
}
