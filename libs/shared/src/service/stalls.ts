import type { Log } from '../log/log.ts';

/** Why a part of the process can't continue, in words for an operator. */
interface StallCause {
  /** The fault, without secrets: shown in readiness and in the log. */
  reason: string;
  /** The operator's remedy. */
  remedy: string;
  error?: unknown;
}

interface Stall extends StallCause {
  part: string;
  /** Seconds since the first failure. */
  seconds: number;
  /** Failures so far. */
  failures: number;
}

interface Entry extends StallCause {
  since: number;
  failures: number;
  /** The last logged reason. */
  logged?: string;
}

/** A shorter failure is not shown. REQ-REL-22 requires at most 10 s. */
const shownAfterMs = 5000;

/**
 * Reports what blocks messages (REQ-REL-22). A loop that retries calls `failed` for each failure and `recovered` for
 * the first success. A part that fails for 5 s makes the process not ready, is counted in the metric
 * `stalled_seconds`, and is logged once for each reason.
 */
export class StallMonitor {
  readonly #entries = new Map<string, Entry>();
  readonly #log: Log;
  readonly #now: () => number;

  constructor({ log, now = () => performance.now() }: { log: Log; now?: () => number }) {
    this.#log = log;
    this.#now = now;
  }

  failed(part: string, cause: StallCause): void {
    const lastEntry = this.#entries.get(part) ?? { since: this.#now(), failures: 0 };
    const entry: Entry = { ...lastEntry, ...cause, failures: lastEntry.failures + 1 };
    this.#entries.set(part, entry);
    // The next report may come too late for the warning.
    if (entry.failures === 1) setTimeout(() => this.#warn(part), shownAfterMs).unref();
    this.#warn(part);
  }

  #warn(part: string): void {
    const entry = this.#entries.get(part);
    if (!entry || !this.#isShown(entry) || entry.logged === entry.reason) return;
    entry.logged = entry.reason;
    const { reason, remedy, error, failures } = entry;
    this.#log.warn({ part, failures, err: error }, `stalled: ${part}: ${reason}. ${remedy}`);
  }

  recovered(part: string): void {
    const entry = this.#entries.get(part);
    if (!entry) return;
    this.#entries.delete(part);
    if (!entry.logged) return;
    const seconds = Math.round((this.#now() - entry.since) / 1000);
    this.#log.info({ part, seconds, failures: entry.failures }, `no longer stalled: ${part}`);
  }

  /** The parts that have failed for at least 5 s. */
  list(): Stall[] {
    return [...this.#entries]
      .filter(([, entry]) => this.#isShown(entry))
      .map(([part, { reason, remedy, since, failures }]) => ({
        part,
        reason,
        remedy,
        failures,
        seconds: (this.#now() - since) / 1000,
      }));
  }

  #isShown({ since }: Entry): boolean {
    return this.#now() - since >= shownAfterMs;
  }
}

/** For readiness: `ok`, or the stalled parts and their reasons. */
export const stateOf = (stalls: StallMonitor): string =>
  stalls
    .list()
    .map(({ part, reason }) => `${part}: ${reason}`)
    .join('; ') || 'ok';
