import type { Log } from '@botyard/shared/log/log';
import { codeOf, UnsentError } from './post.ts';

/**
 * A call whose result is not known. `unclear`: it may or may not have been carried out. `isUnreached`: it was never
 * sent, because no server accepted the connection.
 */
export interface FailedCall {
  outcome: 'failed';
  reason: string;
  unclear: boolean;
  isUnreached?: boolean;
}

const repeatAfterMs = 60_000;
/**
 * The least time between two reported outages, so that a platform that answers every other call doesn't fill the log.
 */
const leastBetweenMs = 10_000;

/**
 * Logs that a platform doesn't answer, once a minute during an outage, and when it answers again. Readiness doesn't
 * show it: a balancer would remove processes that still accept messages.
 */
export class ReachLog {
  readonly #name: string;
  readonly #log: Log;
  #failures = 0;
  #saidAt = Number.NEGATIVE_INFINITY;
  #isSaid = false;

  constructor(name: string, log: Log) {
    this.#name = name;
    this.#log = log;
  }

  /** The result of a call that failed with this error. An aborted one says nothing about the platform. */
  noAnswer(error: unknown, signal: AbortSignal | undefined): FailedCall {
    const code = codeOf(error);
    if (!signal?.aborted) this.#failed(code);
    const isUnreached = error instanceof UnsentError;
    return { outcome: 'failed', reason: `no answer (${code})`, unclear: !isUnreached, isUnreached };
  }

  #failed(code: string): void {
    this.#failures += 1;
    const now = performance.now();
    if (now - this.#saidAt < (this.#isSaid ? repeatAfterMs : leastBetweenMs)) return;
    this.#saidAt = now;
    this.#isSaid = true;
    this.#log.warn(
      { platform: this.#name, code, failures: this.#failures },
      `the ${this.#name} does not answer: messages wait and are retried. Check the network between it and this process.`,
    );
  }

  answered(): void {
    if (this.#isSaid)
      this.#log.info({ platform: this.#name, failures: this.#failures }, `the ${this.#name} answers again`);
    this.#isSaid = false;
    this.#failures = 0;
  }
}
