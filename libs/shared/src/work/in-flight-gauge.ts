const averagedOverMs = 500;

/** How many pieces of work are under way: now, and over the last half second, where what comes later counts for more. */
export class InFlightGauge {
  now = 0;
  #average = 0;
  #averagedAt = 0;

  change(by: number, at: number): void {
    this.averageAt(at);
    this.now += by;
  }

  averageAt(at: number): number {
    const passed = 1 - Math.exp((this.#averagedAt - at) / averagedOverMs);
    this.#average += (this.now - this.#average) * passed;
    this.#averagedAt = at;
    return this.#average;
  }
}
