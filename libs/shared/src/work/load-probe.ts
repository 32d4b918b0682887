import type { Worker } from '../service/foundation.ts';

/** How often it samples at rest, how often while watched, and how long it stays watched. */
const atRestEveryMs = 1000;
const closelyEveryMs = 40;
const closelyForMs = 1000;
const samplesKept = 8;
/** Load is high when a question takes this many times its best time, and longer than this. */
const timesBest = 2;
const leastMs = 1;
/** The best time is forgotten slowly: the database may have moved. */
const bestGrows = 1.00005;

/**
 * Tells whether this process and its database are short of processors: a trivial question then takes much longer than at its best,
 * because it waits at the event loop and at the database. While watched, high load shows within a third of a second.
 */
export class LoadProbe implements Worker {
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

  /** Samples closely for the next second. */
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
      // No answer is an outage, not load.
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
