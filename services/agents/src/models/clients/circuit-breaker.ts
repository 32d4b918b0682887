/** What a call came to: `unknown` when it was stopped from here, and tells nothing of the other side. */
export type CallResult = 'ok' | 'failed' | 'unknown';

export interface BreakerOptions {
  /** So many failures in a row open it. */
  maxFailures: number;
  /** For how long, at first; it doubles with every probe that fails, up to `longestOpenMs`. */
  openMs: number;
  longestOpenMs: number;
  now?: () => number;
}

/** Tells how a call ended. */
export type EndCall = (result: CallResult) => void;

/**
 * Spares callers, and a server in trouble, calls that would only fail (REQ-REL-9): open after some failures in a
 * row, then one call at a time is let through to see whether it works again.
 */
export class CircuitBreaker {
  readonly #options: Required<BreakerOptions>;
  #failures = 0;
  #openedForMs = 0;
  /** While it is open: when the next probe may go. */
  #probeAt: number | undefined;
  #isProbing = false;

  constructor(options: BreakerOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** In how many milliseconds the next probe may go; 0 while one is under way, and while it is closed. */
  get closesInMs(): number {
    return this.#isProbing ? 0 : Math.max(0, (this.#probeAt ?? 0) - this.#options.now());
  }

  /** `undefined` while it is open; otherwise the call may be made, and its end has to be told. */
  begin(): EndCall | undefined {
    if (this.#probeAt === undefined) return (result) => this.#endCall(result);
    if (this.#isProbing || this.#options.now() < this.#probeAt) return undefined;
    this.#isProbing = true;
    return (result) => this.#endProbe(result);
  }

  /** One that began before it opened, and ends now, changes nothing. */
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
