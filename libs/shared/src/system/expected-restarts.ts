/** How long requests wait for a service that announced its return. */
const backWithinMs = 20_000;

/** Services of which a process has just ended on purpose and is about to be replaced. */
export class ExpectedRestarts {
  readonly #until = new Map<string, number>();

  expect(service: string): void {
    this.#until.set(service, performance.now() + backWithinMs);
  }

  isExpectedBack(service: string): boolean {
    const until = this.#until.get(service);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#until.delete(service);
    return false;
  }
}
