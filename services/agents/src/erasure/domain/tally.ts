import type { Receipt } from '@botyard/contracts/http/gdpr';

/** Counts erased rows per store. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(store: string, erased: number): void {
    this.#counts.set(store, (this.#counts.get(store) ?? 0) + erased);
  }

  get receipts(): Receipt[] {
    return [...this.#counts].map(([store, erased]) => ({ store: `agents.${store}`, erased }));
  }
}
