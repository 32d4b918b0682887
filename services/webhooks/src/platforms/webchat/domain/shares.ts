import { unavailable } from '@botyard/shared/http/errors';
import { LRUCache } from 'lru-cache';

/** So many at once, and then one in each interval. */
export interface Rate {
  burst: number;
  intervalMs: number;
}

const maxOwners = 50_000;

/** Counts by owner in this process, as a generic cell rate algorithm. */
export class Shares {
  readonly #rate: Rate;
  readonly #takenUntil = new LRUCache<string, number>({ max: maxOwners });

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Takes one; resolves with 0, or the time in ms until the owner may have another one. */
  take(owner: string, nowMs = performance.now()): number {
    const { burst, intervalMs } = this.#rate;
    const until = Math.max(this.#takenUntil.get(owner) ?? 0, nowMs) + intervalMs;
    const waitMs = until - nowMs - burst * intervalMs;
    if (waitMs > 0) return Math.ceil(waitMs);
    this.#takenUntil.set(owner, until);
    return 0;
  }
}

/** @throws HttpError 503 with the time to wait, for this owner alone. */
export function takeOrWait(shares: Shares, owner: string): void {
  const waitMs = shares.take(owner);
  if (waitMs === 0) return;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  throw unavailable('too many messages at once: wait a moment', { retryAfterSeconds });
}
