import type { ByteBudget } from '../../../../../files/domain/byte-budget.ts';

/** The memory of one delivery, out of the budget for all. */
export class FieldMeter {
  readonly #budget: ByteBudget;
  #taken = 0;
  #isOver = false;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** @throws HttpError 503 when there is no room. Bytes after the end are thrown away, and not counted. */
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
