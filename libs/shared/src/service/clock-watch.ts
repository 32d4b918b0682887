import type { Metrics } from './metrics.ts';
import type { StallMonitor } from './stalls.ts';

/** Another clock: milliseconds since 1970, or `undefined` while it can't be read. */
export interface OtherClock {
  name: string;
  read(): Promise<number | undefined>;
}

interface ClockWatchOptions {
  others: readonly OtherClock[];
  stalls: StallMonitor;
  metrics: Metrics;
  now?: () => number;
}

/**
 * Less than the clock difference that identities tolerate (`identityLeewaySeconds`), so that it is shown before
 * anything fails.
 */
const maxApartMs = 10_000;
const lookEveryMs = 3000;
/** After the start, which is busy enough. */
const firstLookMs = 5000;
/** Interval while clocks differ, so that both a difference and its end show soon. */
const lookAgainMs = 1000;
/** An answer that takes longer is too imprecise. */
const longestReadMs = 2000;
/** A difference that changes by less is reported with the same text. */
const sameWithinMs = 5000;

/**
 * Compares this process's clock with others. A difference of more than 10 s makes the process not ready, with a
 * remedy: with differing clocks, identities are refused and data of several processes can't be compared.
 */
export class ClockWatch {
  readonly #options: Required<ClockWatchOptions>;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #offsetMs = 0;
  #told: { names: string; offsetMs: number; reason: string } | undefined;

  constructor(options: ClockWatchOptions) {
    this.#options = { now: Date.now, ...options };
    options.metrics.gauge(
      'clock_offset_seconds',
      'How far the clock that differs most is ahead of this process (negative: behind it)',
      () => this.#offsetMs / 1000,
    );
  }

  start(): void {
    this.#lookIn(firstLookMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { others, stalls } = this.#options;
    const offsets = await Promise.all(others.map((other) => this.#offsetOf(other)));
    const knownOffsets = others.flatMap(({ name }, index) => {
      const offsetMs = offsets[index];
      return offsetMs === undefined ? [] : [{ name, offsetMs }];
    });
    const most = knownOffsets.toSorted(
      (left, right) => Math.abs(right.offsetMs) - Math.abs(left.offsetMs),
    )[0];
    if (most) this.#offsetMs = most.offsetMs;
    const apart = knownOffsets.filter(({ offsetMs }) => Math.abs(offsetMs) > maxApartMs);
    if (apart.length > 0) stalls.failed('clock', { reason: this.#reasonOf(apart), remedy });
    else if (most) stalls.recovered('clock');
    this.#lookIn(apart.length > 0 ? lookAgainMs : lookEveryMs);
  }

  #lookIn(ms: number): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#look(), ms).unref();
  }

  async #offsetOf({ read }: OtherClock): Promise<number | undefined> {
    const beganAt = performance.now();
    const theirs = await read().catch(() => undefined);
    const tookMs = performance.now() - beganAt;
    if (theirs === undefined || tookMs > longestReadMs) return undefined;
    return theirs + tookMs / 2 - this.#options.now();
  }

  /** Keeps the text while the difference is about the same, so that it is logged once. */
  #reasonOf(apart: readonly { name: string; offsetMs: number }[]): string {
    const names = apart.map(({ name }) => name).join(', ');
    const { offsetMs } = apart[0]!;
    const isSame = this.#told?.names === names && Math.abs(this.#told.offsetMs - offsetMs) < sameWithinMs;
    if (!isSame) {
      const seconds = Math.round(Math.abs(offsetMs) / 1000);
      const reason = `this process's clock is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} that of ${names}`;
      this.#told = { names, offsetMs, reason };
    }
    return this.#told!.reason;
  }
}

const remedy = 'Have the clocks of all machines set by NTP; those of containers are their machine’s.';
