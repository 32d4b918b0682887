import { HttpError, unavailable } from '@botyard/shared/http/errors';

export interface DeadlineTimes {
  connectTimeoutMs: number;
  /** From the end of the request to the beginning of the answer. */
  firstByteTimeoutMs: number;
  totalTimeoutMs: number;
}

export interface DeadlineOptions {
  times: DeadlineTimes;
  /** While the service has told that it is about to be back, nobody is late for want of a connection. */
  isExpectedBack: () => boolean;
}

const tookTooLong = () => new HttpError(504, 'the service did not answer in time');

/**
 * The deadlines of one request to a service, from now on. One timer looks at them, at the shortest of the times: most requests are
 * over before it does, and a timer for each step would be most of what deadlines cost.
 */
export class Deadlines {
  readonly #options: DeadlineOptions;
  readonly #onMiss: (error: HttpError) => void;
  readonly #lookEveryMs: number;
  readonly #endsAt: number;
  #stepEndsAt: number;
  #isConnected = false;
  #isAnswered = false;
  #missed: HttpError | undefined;
  #timer: NodeJS.Timeout;

  /** `onMiss` is called once, at the first deadline that is missed. */
  constructor(options: DeadlineOptions, onMiss: (error: HttpError) => void) {
    const { connectTimeoutMs, firstByteTimeoutMs, totalTimeoutMs } = options.times;
    const now = performance.now();
    this.#options = options;
    this.#onMiss = onMiss;
    this.#lookEveryMs = Math.min(connectTimeoutMs, firstByteTimeoutMs, totalTimeoutMs);
    this.#endsAt = now + totalTimeoutMs;
    // Counts the wait for a free connection, too.
    this.#stepEndsAt = now + connectTimeoutMs;
    this.#timer = setTimeout(this.#look, this.#lookEveryMs);
  }

  /** Set when the request was given up. */
  get missed(): HttpError | undefined {
    return this.#missed;
  }

  connected(): void {
    this.#isConnected = true;
    this.#stepEndsAt = Number.POSITIVE_INFINITY;
  }

  /** The service has all of the request. */
  sent(): void {
    this.#isConnected = true;
    if (!this.#isAnswered) this.#stepEndsAt = performance.now() + this.#options.times.firstByteTimeoutMs;
  }

  answered(): void {
    this.#isAnswered = true;
    this.#stepEndsAt = Number.POSITIVE_INFINITY;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  readonly #look = (): void => {
    const now = performance.now();
    const isStepOver = now >= this.#stepEndsAt;
    if (now >= this.#endsAt || (isStepOver && this.#isConnected)) {
      this.#miss(tookTooLong());
      return;
    }
    if (isStepOver && !this.#options.isExpectedBack()) {
      this.#miss(unavailable('the service is not available'));
      return;
    }
    if (isStepOver) this.#stepEndsAt = now + this.#options.times.connectTimeoutMs;
    const nextMs = Math.min(this.#endsAt - now, this.#stepEndsAt - now, this.#lookEveryMs);
    this.#timer = setTimeout(this.#look, Math.ceil(nextMs));
  };

  #miss(error: HttpError): void {
    this.end();
    this.#missed = error;
    this.#onMiss(error);
  }
}
