import fc from 'fast-check';

/** A seeded random generator. The same seed produces the same choices. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to 1, 1 excluded (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 to `below`, `below` excluded. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Chooses an item. @throws for an empty list. */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('there is nothing to choose from');
    return items[this.below(items.length)] as Item;
  }

  /** Chooses an item by weight. */
  weighted<Item>(items: readonly (readonly [number, Item])[]): Item {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.next() * total;
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return this.pick(items)[1];
  }

  draw<Value>(arbitrary: fc.Arbitrary<Value>): Value {
    const [value] = fc.sample(arbitrary, { seed: this.below(2 ** 31), numRuns: 1 });
    return value as Value;
  }

  /** Returns random hexadecimal digits. */
  digits(count: number): string {
    return Array.from({ length: count }, () => this.below(16).toString(16)).join('');
  }

  uuid(): string {
    const digits = this.digits(32);
    return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
  }
}
