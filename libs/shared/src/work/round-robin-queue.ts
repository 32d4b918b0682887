interface Queue<Item> {
  items: Item[];
  /** Number of taken items. Shifting the others each time would be quadratic. */
  taken: number;
}

/** Waiting items by owner. Owners take turns, and each owner's items stay in order. */
export class RoundRobinQueue<Item> {
  /** In the order of their turns. */
  readonly #queues = new Map<string, Queue<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: Item): void {
    const queue = this.#queues.get(owner);
    if (queue) queue.items.push(item);
    else this.#queues.set(owner, { items: [item], taken: 0 });
    this.#size += 1;
  }

  /** Takes up to `limit` items, one of each owner in turn. Owners that had a turn go to the end. */
  take(limit: number): Item[] {
    const taken: Item[] = [];
    while (taken.length < limit) {
      const next = this.#queues.entries().next().value;
      if (!next) break;
      const [owner, queue] = next;
      taken.push(takeFirst(queue));
      this.#queues.delete(owner);
      if (queue.items.length > 0) this.#queues.set(owner, queue);
    }
    this.#size -= taken.length;
    return taken;
  }

  clear(): void {
    this.#queues.clear();
    this.#size = 0;
  }
}

/** Takes an item from a non-empty queue. Taken items are dropped once they are half of it. */
function takeFirst<Item>(queue: Queue<Item>): Item {
  const item = queue.items[queue.taken] as Item;
  queue.taken += 1;
  if (queue.taken * 2 < queue.items.length) return item;
  queue.items.splice(0, queue.taken);
  queue.taken = 0;
  return item;
}
