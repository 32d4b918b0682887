/** Sends beyond this number aren't recorded, and count as uncertain. */
const maxKept = 1000;

/** Parts that were begun in a commit whose response was lost. They were not sent. */
export class UnmadeSends {
  readonly #partIds = new Set<string>();

  note(partId: string): void {
    if (this.#partIds.size < maxKept) this.#partIds.add(partId);
  }

  has(partId: string): boolean {
    return this.#partIds.has(partId);
  }

  /** Removes a part that is being sent now. */
  forget(partId: string): void {
    this.#partIds.delete(partId);
  }
}
