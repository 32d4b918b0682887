import type { ByteBudget } from '../../../../../files/domain/byte-budget.ts';

/** The memory that one delivery takes from the shared budget. */
export class FieldMeter {
  readonly #budget: ByteBudget;
  #taken = 0;
  #isOver = false;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** @throws HttpError 503 if there is no room. Bytes after the end are discarded, and not counted. */
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
