import { grouped } from './progress.ts';

/** Counts occurrences by key. */
export class Counts<Key extends string | number = string> {
  readonly #counts = new Map<Key, number>();

  add(key: Key, count = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Formats the counts sorted by key, for example `200: 12, 401: 3`. */
  toString(): string {
    return [...this.#counts]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, count]) => `${key}: ${grouped(count)}`)
      .join(', ');
  }
}
