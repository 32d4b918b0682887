import { setTimeout as pause } from 'node:timers/promises';
import { RoundRobinQueue } from './round-robin-queue.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

interface BatcherOptions<Item, Result> {
  maxBatch: number;
  /** Each batch waits this long for further items. By default it waits for one turn of the event loop. */
  gatherMs?: number;
  /** Owners take turns if more items wait than a batch holds. */
  ownerOf(item: Item): string;
  /** Writes all items or none; results are in the order of the items. */
  write(items: Item[]): Promise<Result[]>;
  /** Whether a failure has nothing to do with the items, so that trying them one by one doesn't help. */
  isOutage(error: unknown): boolean;
}

/**
 * Group commit: items that arrive while one batch is written are written together in the next, so that commits are
 * shared under load and nothing is delayed otherwise. An item that can't be written fails alone.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #waiting = new RoundRobinQueue<Waiting<Item, Result>>();
  #writing: Promise<void> | undefined;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's result once it is written. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(this.#options.ownerOf(item), { item, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const { maxBatch, gatherMs } = this.#options;
    // Waits for one turn of the event loop, so that requests that arrived together share the first batch too.
    if (gatherMs === undefined) await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.size > 0) {
      if (gatherMs !== undefined) await pause(gatherMs);
      await this.#settle(this.#waiting.take(maxBatch));
    }
    // Runs in the same turn as the last check: an item that comes later must begin a new round.
    this.#writing = undefined;
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.write(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length === 1 || this.#options.isOutage(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.#settle([one]);
    }
  }
}
