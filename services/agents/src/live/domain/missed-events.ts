import type { Told } from './listener.ts';
import { oldestOf, type Position } from './position.ts';

/** `null` when there are too many to send. */
export type Missed = readonly Told[] | null;

interface Asked {
  left: Position;
  resolve: (missed: Missed) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads the missed events of one tenant's listeners. Listeners that ask during a read share the next one, so that any
 * number of reconnecting listeners cost a few reads. Nothing is cached between reads.
 */
export class MissedEvents {
  readonly #read: (from: Position) => Promise<Missed>;
  #asked: Asked[] = [];
  #isReading = false;

  constructor(read: (from: Position) => Promise<Missed>) {
    this.#read = read;
  }

  /** The events after a position, in order. The list may begin with earlier events. @throws as the read does. */
  since(left: Position): Promise<Missed> {
    const { promise, resolve, reject } = Promise.withResolvers<Missed>();
    this.#asked.push({ left, resolve, reject });
    if (!this.#isReading) void this.#answerAll();
    return promise;
  }

  async #answerAll(): Promise<void> {
    this.#isReading = true;
    while (this.#asked.length > 0) {
      const together = this.#asked.splice(0).sort((one, other) => total(one.left) - total(other.left));
      try {
        await this.#answer(together);
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#isReading = false;
  }

  /**
   * Answers listeners, oldest position first. Returns `false` if even the newest position has missed too many events.
   */
  async #answer(together: readonly Asked[]): Promise<boolean> {
    const missed = await this.#read(oldestOf(together.map(({ left }) => left)));
    if (missed !== null || together.length === 1) {
      for (const { resolve } of together) resolve(missed);
      return missed !== null;
    }
    // Splits the listeners, so that an old position doesn't fail the others.
    const middle = together.length >> 1;
    const older = together.slice(0, middle);
    if (await this.#answer(together.slice(middle))) {
      await this.#answer(older);
      return true;
    }
    for (const { resolve } of older) resolve(null);
    return false;
  }
}

const total = ({ webhooks, agents, usage }: Position): number => webhooks.seq + agents.seq + usage.seq;
