type Undo = () => Promise<void> | void;

/** Records started processes and resources, and stops them at the end of a part or on Ctrl-C. */
export class Cleanup {
  #undo: Undo[] = [];
  #isEnding = false;

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
        console.error(`could not clean up: ${(error as Error).message}`);
      }
    }
  }

  /** True once a signal has ended the tool. Nothing may start after that, and failures are consequences of the end. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.run();
  }
}

/**
 * Runs a tool, and stops all that it started: at its end, after an error, and on Ctrl-C. The exit code is 1 if it
 * fails or resolves to false.
 */
export async function runTool(name: string, work: (cleanup: Cleanup) => Promise<boolean>): Promise<void> {
  const cleanup = new Cleanup();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (cleanup.isEnding) process.exit(1);
      console.error(`${signal}: stopping all processes; press Ctrl-C again to exit immediately`);
      void cleanup.end().finally(() => process.exit(130));
    });
  try {
    if (!(await work(cleanup))) process.exitCode = 1;
  } catch (error) {
    if (!cleanup.isEnding) console.error(`${name}: ${(error as Error).stack ?? String(error)}`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}
