import { afterPoll } from '@botyard/shared/work/after-poll';

/** The end of the process, as senders see it. */
export class Closing {
  readonly #calls = new AbortController();
  #isClosing = false;

  /** Nothing more is begun. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Breaks calls off that would outlast the process. */
  get signal(): AbortSignal {
    return this.#calls.signal;
  }

  begin(): void {
    this.#isClosing = true;
  }

  /** Ends running calls. An answer that has arrived already still counts. */
  breakOffCalls(): void {
    afterPoll(() => this.#calls.abort());
  }
}
