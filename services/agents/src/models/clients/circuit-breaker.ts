/** The result of a call: `unknown` when it was stopped by us, which shows nothing about the other side. */
export type CallResult = 'ok' | 'failed' | 'unknown';

export interface BreakerOptions {
  /** Number of consecutive failures that open it. */
  maxFailures: number;
  /** Initial open time; it doubles with every failed probe, up to `longestOpenMs`. */
  openMs: number;
  longestOpenMs: number;
  now?: () => number;
}

/** Reports the end of a call. */
export type EndCall = (result: CallResult) => void;

/**
 * Avoids calls that would only fail (REQ-REL-9): open after some consecutive failures, then one probe at a time is
 * allowed.
 */
export class CircuitBreaker {
  readonly #options: Required<BreakerOptions>;
  #failures = 0;
  #openedForMs = 0;
  /** While it is open: time of the next probe. */
  #probeAt: number | undefined;
  #isProbing = false;

  constructor(options: BreakerOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** Milliseconds until the next probe; 0 during one, and while it is closed. */
  get closesInMs(): number {
    return this.#isProbing ? 0 : Math.max(0, (this.#probeAt ?? 0) - this.#options.now());
  }

  /** `undefined` while it is open; otherwise the call may be made, and its end has to be reported. */
  begin(): EndCall | undefined {
    if (this.#probeAt === undefined) return (result) => this.#endCall(result);
    if (this.#isProbing || this.#options.now() < this.#probeAt) return undefined;
    this.#isProbing = true;
    return (result) => this.#endProbe(result);
  }

  /** The end of a call that began before it opened changes nothing. */
  #endCall(result: CallResult): void {
    if (this.#probeAt !== undefined || result === 'unknown') return;
    this.#failures = result === 'ok' ? 0 : this.#failures + 1;
    if (this.#failures >= this.#options.maxFailures) this.#open(this.#options.openMs);
  }

  #endProbe(result: CallResult): void {
    this.#isProbing = false;
    if (result === 'failed') this.#open(this.#openedForMs * 2);
    if (result !== 'ok') return;
    this.#probeAt = undefined;
    this.#failures = 0;
  }

  #open(forMs: number): void {
    this.#openedForMs = Math.min(forMs, this.#options.longestOpenMs);
    this.#probeAt = this.#options.now() + this.#openedForMs;
  }
}
