import type { Told } from './listener.ts';
import { oldestOf, type Position } from './position.ts';

/** `null`: there are too many to be told. */
export type Missed = readonly Told[] | null;

interface Asked {
  left: Position;
  resolve: (missed: Missed) => void;
  reject: (error: unknown) => void;
}

/**
 * Missed events of the listeners of one tenant. Those who ask while a read is under way share the next one, so that
 * listeners who come back together cost a few reads, however many they are. Nothing is kept between reads.
 */
export class MissedEvents {
  readonly #read: (from: Position) => Promise<Missed>;
  #asked: Asked[] = [];
  #isReading = false;

  constructor(read: (from: Position) => Promise<Missed>) {
    this.#read = read;
  }

  /** Events behind a position, in order; the first ones may be from before it. @throws as the read does */
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

  /** Answers listeners, the oldest position first. `false`: even the newest one missed too many. */
  async #answer(together: readonly Asked[]): Promise<boolean> {
    const missed = await this.#read(oldestOf(together.map(({ left }) => left)));
    if (missed !== null || together.length === 1) {
      for (const { resolve } of together) resolve(missed);
      return missed !== null;
    }
    // An old position doesn't have the others told that too much is missing.
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
