import { unavailable } from './errors.ts';

const maxStreams = 5000;
export const maxStreamsOfCaller = 20;

interface Limits {
  max: number;
  maxOfCaller: number;
  /** Name of the streams in messages, in the plural. */
  what: string;
}

const usualLimits: Limits = { max: maxStreams, maxOfCaller: maxStreamsOfCaller, what: 'event streams' };

/** Counts open server-sent event streams. They are endless, so their number is limited. */
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

  /**
   * Returns a function to call at the stream's end.
   * @throws HttpError 503 for too many streams of the caller, or in total.
   */
  open(caller: string): () => void {
    const { max, maxOfCaller, what } = this.#limits;
    const own = this.#ofCaller.get(caller) ?? 0;
    if (own >= maxOfCaller)
      throw unavailable(`you have ${own} ${what} open, which is as many as one may have: close one first`);
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
