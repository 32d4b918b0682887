import { HttpError, unavailable } from './errors.ts';

export const maxStreams = 5000;
export const maxStreamsOfCaller = 20;

interface Limits {
  max: number;
  maxOfCaller: number;
  /** What they are, in the plural. */
  what: string;
}

const usualLimits: Limits = { max: maxStreams, maxOfCaller: maxStreamsOfCaller, what: 'event streams' };

/** Answers that are server-sent events: they have no end, so that there are limits to how many are open. */
export class OpenStreams {
  readonly #limits: Limits;
  readonly #ofCaller = new Map<string, number>();
  #count = 0;

  constructor(limits: Limits = usualLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** Returns what is to be called at its end. @throws HttpError 429 when the caller has too many, 503 when all have. */
  open(caller: string): () => void {
    const { max, maxOfCaller, what } = this.#limits;
    const own = this.#ofCaller.get(caller) ?? 0;
    if (own >= maxOfCaller)
      throw new HttpError(429, `you have ${own} ${what} open, which is as many as one may have`);
    if (this.#count >= max) throw unavailable(`too many ${what} are open`);
    this.#count += 1;
    this.#ofCaller.set(caller, own + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#count -= 1;
      const left = (this.#ofCaller.get(caller) ?? 1) - 1;
      if (left === 0) this.#ofCaller.delete(caller);
      else this.#ofCaller.set(caller, left);
    };
  }
}
