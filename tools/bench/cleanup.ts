type Undo = () => Promise<void> | void;

/** Records started processes and resources, and stops them at the end of a part or on Ctrl-C. */
export class Cleanup {
  #undo: Undo[] = [];
  #isEnding = false;

  /** True once the cleanup has begun. Nothing may start after that, and failures are consequences of the end. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Adds a cleanup step. @throws if the cleanup has already begun; the step then runs immediately. */
  async add(undo: Undo): Promise<void> {
    if (!this.#isEnding) {
      this.#undo.push(undo);
      return;
    }
    await undo();
    throw new Error('stopping');
  }

  /** Runs the steps in reverse order. A failure is reported and doesn't stop the others. */
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
