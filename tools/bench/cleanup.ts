type Undo = () => Promise<void> | void;

/** What was started and has to be stopped: at the end of a part, and on Ctrl-C at any moment. */
export class Cleanup {
  #undo: Undo[] = [];
  #isEnding = false;

  /** From here on nothing new may start, and what fails fails because of it. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** @throws when everything is being stopped already: what was just started is then stopped too. */
  async add(undo: Undo): Promise<void> {
    if (!this.#isEnding) {
      this.#undo.push(undo);
      return;
    }
    await undo();
    throw new Error('stopping');
  }

  /** Undoes, last first. Something that can't be undone is told and doesn't keep the rest from it. */
  async run(): Promise<void> {
    for (let undo = this.#undo.pop(); undo; undo = this.#undo.pop()) {
      try {
        await undo();
      } catch (error) {
        console.error(`bench: could not clean up: ${(error as Error).message}`);
      }
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.run();
  }
}
