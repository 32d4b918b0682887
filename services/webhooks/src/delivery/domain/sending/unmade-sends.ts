/** More than that are forgotten: they count as sends of which nobody knows what came of them. */
const maxKept = 1000;

/** Parts that were begun in a commit of which the answer was lost. They were not sent. */
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
