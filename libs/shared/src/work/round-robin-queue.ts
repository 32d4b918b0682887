/** What waits, by whose it is. Owners take turns, and each one's own items stay in their order. */
export class RoundRobinQueue<Item> {
  /** In the order of their turns. */
  readonly #queues = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: Item): void {
    const queue = this.#queues.get(owner);
    if (queue) queue.push(item);
    else this.#queues.set(owner, [item]);
    this.#size += 1;
  }

  /** Takes up to `limit` items, one of each owner in turn; who came last is behind the others the next time. */
  take(limit: number): Item[] {
    const taken: Item[] = [];
    while (taken.length < limit) {
      const next = this.#queues.entries().next().value;
      if (!next) break;
      const [owner, queue] = next;
      taken.push(...queue.splice(0, 1));
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
    }
    this.#size -= taken.length;
    return taken;
  }

  clear(): void {
    this.#queues.clear();
    this.#size = 0;
  }
}
