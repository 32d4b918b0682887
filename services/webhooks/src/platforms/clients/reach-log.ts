import type { Log } from '@botyard/shared/log/log';

const repeatAfterMs = 60_000;
/** Between two outages: of a platform that answers every other call the log isn't full. */
const leastBetweenMs = 10_000;

/**
 * Says in the log that a platform gives no answer, once a minute while that lasts, and when it does again. Readiness
 * doesn't show it: a balancer would take away the processes that go on accepting messages.
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

  failed(code: string): void {
    this.#failures += 1;
    const now = performance.now();
    if (now - this.#saidAt < (this.#isSaid ? repeatAfterMs : leastBetweenMs)) return;
    this.#saidAt = now;
    this.#isSaid = true;
    this.#log.warn(
      { platform: this.#name, code, failures: this.#failures },
      `the ${this.#name} gives no answer; messages wait and are tried again. Look at the network between it and this process.`,
    );
  }

  answered(): void {
    if (this.#isSaid)
      this.#log.info({ platform: this.#name, failures: this.#failures }, `the ${this.#name} answers again`);
    this.#isSaid = false;
    this.#failures = 0;
  }
}
