import type { Worker } from '../service/foundation.ts';

/** How often it looks by itself, how often when somebody wants to know, and for how long after that. */
const atRestEveryMs = 1000;
const closelyEveryMs = 40;
const closelyForMs = 1000;
const samplesKept = 8;
/** So many times as long as at its best, and longer than this, is strain. */
const timesBest = 2;
const leastMs = 1;
/** What was best once is forgotten slowly: the database may have moved. */
const bestGrows = 1.00005;

/**
 * Whether this process and its database are short of processors: a question that costs nothing takes much longer than at its best
 * then, for it waits for its turn at the loop, at the database, and back. Looked at closely, strain shows within a third of a second.
 */
export class Strain implements Worker {
  readonly #ask: () => Promise<unknown>;
  readonly #tookMs: number[] = [];
  #bestMs = Number.POSITIVE_INFINITY;
  #askedAt: number | undefined;
  #atRest: NodeJS.Timeout | undefined;
  #closely: NodeJS.Timeout | undefined;
  #closelyUntil = 0;

  /** @param ask the question, such as a database's `ping`. */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  start(): void {
    this.#atRest = setInterval(() => this.#sample(), atRestEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#atRest);
    clearInterval(this.#closely);
  }

  /** Somebody will want to know in the next second. */
  watch(): void {
    this.#closelyUntil = performance.now() + closelyForMs;
    this.#closely ??= setInterval(() => this.#lookClosely(), closelyEveryMs).unref();
  }

  get isHigh(): boolean {
    if (this.#tookMs.length < samplesKept) return false;
    const waitedMs = this.#askedAt === undefined ? 0 : performance.now() - this.#askedAt;
    // What isn't answered yet counts by how long it has waited.
    const meanMs = Math.max(this.#meanMs, waitedMs / samplesKept);
    return meanMs > Math.max(leastMs, this.#bestMs * timesBest);
  }

  get #meanMs(): number {
    return this.#tookMs.reduce((sum, ms) => sum + ms, 0) / this.#tookMs.length;
  }

  #lookClosely(): void {
    this.#sample();
    if (performance.now() < this.#closelyUntil) return;
    clearInterval(this.#closely);
    this.#closely = undefined;
  }

  #sample(): void {
    if (this.#askedAt !== undefined) return;
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    this.#ask()
      .then(() => this.#note(performance.now() - askedAt))
      // Who doesn't answer isn't slow.
      .catch(() => undefined)
      .finally(() => {
        this.#askedAt = undefined;
      });
  }

  #note(tookMs: number): void {
    this.#tookMs.push(tookMs);
    if (this.#tookMs.length > samplesKept) this.#tookMs.shift();
    if (this.#tookMs.length === samplesKept) this.#bestMs = Math.min(this.#bestMs * bestGrows, this.#meanMs);
  }
}
