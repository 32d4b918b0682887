/** The result of a call. `unknown` means that this side stopped it, which shows nothing about the other side. */
export type CallResult = 'ok' | 'failed' | 'unknown';

interface BreakerOptions {
  /** The number of consecutive failures that open the circuit. */
  maxFailures: number;
  /** Initial open time; it doubles with every failed probe, up to `longestOpenMs`. */
  openMs: number;
  longestOpenMs: number;
  now?: () => number;
}

/** Reports how a call ended. */
type EndCall = (result: CallResult) => void;

/**
 * Avoids calls that would only fail (REQ-REL-9): opens after a number of consecutive failures, and then allows one
 * probe at a time.
 */
export class CircuitBreaker {
  readonly #options: Required<BreakerOptions>;
  #failures = 0;
  #openedForMs = 0;
  /** The time of the next probe, while the circuit is open. */
  #probeAt: number | undefined;
  #isProbing = false;

  constructor(options: BreakerOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** Milliseconds until the next probe; 0 during a probe, and while the circuit is closed. */
  get closesInMs(): number {
    return this.#isProbing ? 0 : Math.max(0, (this.#probeAt ?? 0) - this.#options.now());
  }

  /** Returns `undefined` while the circuit is open. Otherwise the call may be made, and its end has to be reported. */
  begin(): EndCall | undefined {
    if (this.#probeAt === undefined) return (result) => this.#endCall(result);
    if (this.#isProbing || this.#options.now() < this.#probeAt) return undefined;
    this.#isProbing = true;
    return (result) => this.#endProbe(result);
  }

  /** Calls that began before the circuit opened have no effect on it. */
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
