import { unavailable } from '@botyard/shared/http/errors';
import { Semaphore } from '@botyard/shared/work/semaphore';

interface LookupLaneOptions {
  /** The number of concurrent look-ups. */
  atOnce: number;
  /** Limits on running and pending look-ups, in total and per requester. */
  maxWaiting: number;
  maxWaitingOfOne: number;
}

/** Bounds the look-ups that strangers can cause: few concurrent ones, fair among requesters, and no long queue. */
export class LookupLane {
  readonly #options: LookupLaneOptions;
  readonly #slots: Semaphore;
  readonly #ofAsker = new Map<string, number>();
  #count = 0;

  constructor(options: LookupLaneOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.atOnce);
  }

  /** @throws HttpError 503 when too many are pending; any error of the look-up. */
  async run<Answer>(asker: string, question: () => Promise<Answer>): Promise<Answer> {
    const { maxWaiting, maxWaitingOfOne } = this.#options;
    const own = this.#ofAsker.get(asker) ?? 0;
    if (this.#count >= maxWaiting || own >= maxWaitingOfOne)
      throw unavailable('too many API tokens are being looked up: try again later');
    this.#count += 1;
    this.#ofAsker.set(asker, own + 1);
    try {
      return await this.#slots.run(asker, question);
    } finally {
      this.#count -= 1;
      const left = (this.#ofAsker.get(asker) ?? 1) - 1;
      if (left === 0) this.#ofAsker.delete(asker);
      else this.#ofAsker.set(asker, left);
    }
  }
}
