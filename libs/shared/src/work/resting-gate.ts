/**
 * After a piece, the gate pauses for this multiple of its duration, so that all pieces together use a fifth of the
 * time.
 */
const restsFor = 4;
/** Limit of the delay between the starts of two pieces, however long the first one runs. */
const maxSpacingMs = 1000;

interface Waiting {
  begin: () => void;
  since: number;
}

/** A gate at which pieces of work start one after the other, with a pause after each. */
export class RestingGate {
  readonly #maxWaitMs: number;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;
  /** The piece that started last, until it finishes. */
  #working: object | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextAt = Number.POSITIVE_INFINITY;

  /** @param maxWaitMs the longest delay of a piece. */
  constructor(maxWaitMs = Number.POSITIVE_INFINITY) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Resolves when the piece may start, with a function to call when it has finished. */
  async pass(): Promise<() => void> {
    if (this.#isBusy) await this.#wait();
    this.#isBusy = true;
    const piece = {};
    this.#working = piece;
    const beganAt = performance.now();
    this.#nextIn(this.#longestSpacing(beganAt));
    return () => {
      if (this.#working !== piece) return;
      this.#working = undefined;
      this.#nextIn((performance.now() - beganAt) * restsFor);
    };
  }

  /** Starts everything that waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#nextAt = Number.POSITIVE_INFINITY;
    this.#isBusy = false;
    for (const { begin } of this.#waiting.splice(0)) begin();
  }

  #wait(): Promise<void> {
    const since = performance.now();
    return new Promise((begin) => {
      this.#waiting.push({ begin, since });
      this.#nextIn(this.#longestSpacing(since));
    });
  }

  /** The even spacing at which no waiting piece starts too late. */
  #longestSpacing(now: number): number {
    const [oldest] = this.#waiting;
    const evenly = this.#maxWaitMs / (this.#waiting.length + 1);
    const leftMs = (oldest?.since ?? now) + this.#maxWaitMs - now;
    return Math.min(maxSpacingMs, evenly, Math.max(0, leftMs));
  }

  #nextIn(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (at >= this.#nextAt) return;
    clearTimeout(this.#timer);
    this.#nextAt = at;
    this.#timer = setTimeout(() => this.#next(), delayMs).unref();
  }

  /** Starts the next piece in turn, and all that have reached their longest delay. */
  #next(): void {
    this.#nextAt = Number.POSITIVE_INFINITY;
    const since = performance.now() - this.#maxWaitMs;
    const late = this.#waiting.filter((one) => one.since <= since).length;
    const next = this.#waiting.splice(0, Math.max(1, late));
    if (next.length === 0) this.#isBusy = false;
    for (const { begin } of next) begin();
  }
}
