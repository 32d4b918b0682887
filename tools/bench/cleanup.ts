type Undo = () => Promise<void> | void;

/** Started things that have to be stopped: at the end of a part, and on Ctrl-C at any moment. */
export class Cleanup {
  #undo: Undo[] = [];
  #isEnding = false;

  /** From now on nothing new may start, and failures are consequences of the end. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** @throws when everything is being stopped already; the given one is then stopped too. */
  async add(undo: Undo): Promise<void> {
    if (!this.#isEnding) {
      this.#undo.push(undo);
      return;
    }
    await undo();
    throw new Error('stopping');
  }

  /** Undoes, last first. A failure is reported and doesn't stop the rest. */
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
