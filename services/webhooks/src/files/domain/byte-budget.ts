import { unavailable } from '@botyard/shared/http/errors';

/** Limits the bytes of all deliveries that are read at the same time (REQ-REL-9). */
export class ByteBudget {
  readonly #most: number;
  #taken = 0;

  constructor(maxBytes: number) {
    this.#most = maxBytes;
  }

  /** @throws HttpError 503 if there is no room; the sender retries. */
  take(bytes: number): void {
    if (this.#taken + bytes > this.#most) throw unavailable('too much mail at the moment');
    this.#taken += bytes;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }

  get taken(): number {
    return this.#taken;
  }
}
