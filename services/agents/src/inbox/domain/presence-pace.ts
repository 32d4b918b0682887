import { LRUCache } from 'lru-cache';

interface Pace {
  /** Calls that may follow each other at once. */
  burst: number;
  everyMs: number;
}

const ofPerson: Pace = { burst: 6, everyMs: 3000 };
const ofTenant: Pace = { burst: 100, everyMs: 50 };
const maxRemembered = 10_000;

/** Limits how often a person, and all staff of a tenant together, show that they are at a chat. */
export class PresencePace {
  /** For each person and tenant, the time up to which the calls so far use its pace. */
  readonly #usedUntil = new LRUCache<string, number>({ max: maxRemembered });
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Whether one more call is within both limits. A call beyond a person's limit uses nothing of the tenant's. */
  admits({ tenantId, userId }: { tenantId: string; userId: string }): boolean {
    return this.#use(`${tenantId} ${userId}`, ofPerson) && this.#use(tenantId, ofTenant);
  }

  #use(name: string, { burst, everyMs }: Pace): boolean {
    const now = this.#now();
    const usedUntil = Math.max(now, this.#usedUntil.get(name) ?? 0);
    if (usedUntil - now > (burst - 1) * everyMs) return false;
    this.#usedUntil.set(name, usedUntil + everyMs);
    return true;
  }
}
