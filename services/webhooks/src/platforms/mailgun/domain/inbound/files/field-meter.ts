import type { ByteBudget } from '../../../../../files/domain/byte-budget.ts';

/** What one delivery holds in memory, out of what all may hold. */
export class FieldMeter {
  readonly #budget: ByteBudget;
  #taken = 0;
  #isOver = false;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** @throws HttpError 503 when there is no room. What comes after the end is thrown away, and counts nothing. */
  take(bytes: number): void {
    if (this.#isOver) return;
    this.#budget.take(bytes);
    this.#taken += bytes;
  }

  end(): void {
    this.#isOver = true;
    this.#budget.give(this.#taken);
    this.#taken = 0;
  }
}
