/** Sends beyond this number are forgotten, and count as uncertain. */
const maxKept = 1000;

/** Parts that were begun in a commit whose answer was lost. They were not sent. */
export class UnmadeSends {
  readonly #partIds = new Set<string>();

  note(partId: string): void {
    if (this.#partIds.size < maxKept) this.#partIds.add(partId);
  }

  has(partId: string): boolean {
    return this.#partIds.has(partId);
  }

  /** It is sent now. */
  forget(partId: string): void {
    this.#partIds.delete(partId);
  }
}
