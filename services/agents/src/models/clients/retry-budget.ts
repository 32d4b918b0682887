/** Limit on saved retries, and the number of calls that earn one. */
const maxTries = 10;
const callsPerTry = 10;
/** A retry is also earned after this time, for callers with few calls. */
const tryEveryMs = 6000;

/** Limits retries to a tenth of the calls (REQ-REL-8), so that a failing server isn't called three times as often. */
export class RetryBudget {
  readonly #now: () => number;
  #tries = maxTries;
  #countedAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#countedAt = now();
  }

  earn(): void {
    this.#add(1 / callsPerTry);
  }

  /** Returns `false` when no retry is left. */
  spend(): boolean {
    const now = this.#now();
    this.#add((now - this.#countedAt) / tryEveryMs);
    this.#countedAt = now;
    if (this.#tries < 1) return false;
    this.#tries -= 1;
    return true;
  }

  #add(tries: number): void {
    this.#tries = Math.min(maxTries, this.#tries + tries);
  }
}
