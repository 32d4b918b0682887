import { afterPoll } from '@botyard/shared/work/after-poll';

/** The shutdown of the process, as senders see it. */
export class Closing {
  readonly #calls = new AbortController();
  #isClosing = false;

  /** True once no further send may begin. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Aborts calls that would outlast the process. */
  get signal(): AbortSignal {
    return this.#calls.signal;
  }

  begin(): void {
    this.#isClosing = true;
  }

  /** Aborts running calls. An answer that has already arrived still counts. */
  breakOffCalls(): void {
    afterPoll(() => this.#calls.abort());
  }
}
