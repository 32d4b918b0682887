import { unavailable } from '@botyard/shared/http/errors';
import { Semaphore } from '@botyard/shared/work/semaphore';

interface LookupLaneOptions {
  /** Questions that are under way together. */
  atOnce: number;
  /** Limits on running and waiting questions, in total and per asker. */
  maxWaiting: number;
  maxWaitingOfOne: number;
}

/** Bounds what strangers can make us ask: few questions at once, askers in turn, and no long queue. */
export class LookupLane {
  readonly #options: LookupLaneOptions;
  readonly #slots: Semaphore;
  readonly #ofAsker = new Map<string, number>();
  #count = 0;

  constructor(options: LookupLaneOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.atOnce);
  }

  /** @throws HttpError 503 when too many wait; any error of the question. */
  async run<Answer>(asker: string, question: () => Promise<Answer>): Promise<Answer> {
    const { maxWaiting, maxWaitingOfOne } = this.#options;
    const own = this.#ofAsker.get(asker) ?? 0;
    if (this.#count >= maxWaiting || own >= maxWaitingOfOne)
      throw unavailable('too many API tokens are being looked up');
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
