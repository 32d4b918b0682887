import { HttpError, unavailable } from '@botyard/shared/http/errors';

export interface DeadlineTimes {
  connectTimeoutMs: number;
  /** From the end of the request to the beginning of the answer. */
  firstByteTimeoutMs: number;
  totalTimeoutMs: number;
}

interface Options {
  times: DeadlineTimes;
  /** While the service has announced its return, waiting for a connection misses no deadline. */
  isExpectedBack: () => boolean;
  /** Called once, when the first deadline is missed. */
  onMiss: (error: HttpError) => void;
}

const tookTooLong = () => new HttpError(504, 'the service did not answer in time');

/** The deadlines of one request to a service, from now on. */
export class Deadlines {
  readonly #options: Options;
  readonly #total: NodeJS.Timeout;
  #step: NodeJS.Timeout | undefined;
  #missed: HttpError | undefined;
  #isAnswered = false;

  constructor(options: Options) {
    this.#options = options;
    this.#total = setTimeout(() => this.#miss(tookTooLong()), options.times.totalTimeoutMs);
    this.#waitForConnection();
  }

  /** Set when the request was abandoned. */
  get missed(): HttpError | undefined {
    return this.#missed;
  }

  connected(): void {
    clearTimeout(this.#step);
  }

  /** Called when the service has received the whole request. */
  sent(): void {
    clearTimeout(this.#step);
    if (this.#isAnswered) return;
    this.#step = setTimeout(() => this.#miss(tookTooLong()), this.#options.times.firstByteTimeoutMs);
  }

  answered(): void {
    this.#isAnswered = true;
    clearTimeout(this.#step);
  }

  end(): void {
    clearTimeout(this.#step);
    clearTimeout(this.#total);
  }

  /** Includes the wait for a free connection. */
  #waitForConnection(): void {
    this.#step = setTimeout(() => {
      if (this.#options.isExpectedBack()) this.#waitForConnection();
      else this.#miss(unavailable('the service is not available'));
    }, this.#options.times.connectTimeoutMs);
  }

  #miss(error: HttpError): void {
    this.end();
    this.#missed = error;
    this.#options.onMiss(error);
  }
}
