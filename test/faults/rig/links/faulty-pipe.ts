import type { Socket } from 'node:net';
import type { Random } from '../random.ts';

/** How a link behaves. All zero and `false`: as if it weren't there. */
export interface LinkConditions {
  delayMs: number;
  /** Upper bound of the random delay; data still arrives in order. */
  jitterMs: number;
  /** 0: as fast as it goes. */
  bytesPerSecond: number;
  /** Sent data is accepted and never arrives; neither does the end of a connection. */
  isBlackhole: boolean;
}

export const unimpaired: LinkConditions = { delayMs: 0, jitterMs: 0, bytesPerSecond: 0, isBlackhole: false };

/** More than that waits where it comes from. */
const maxWaitingBytes = 256 * 1024;

/** One direction of a connection: data leaves in order, after its delay. */
export class FaultyPipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #conditions: () => LinkConditions;
  readonly #random: Random;
  /** `null` is the end. */
  readonly #waiting: (Buffer | null)[] = [];
  #waitingBytes = 0;
  #freeAt = 0;
  /** Some data was lost: later data would be meaningless to the reader. */
  hasLost = false;

  constructor(ends: { from: Socket; to: Socket }, conditions: () => LinkConditions, random: Random) {
    this.#from = ends.from;
    this.#to = ends.to;
    this.#conditions = conditions;
    this.#random = random;
    this.#from.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#from.on('end', () => this.#take(null));
    this.#to.on('drain', () => this.#from.resume());
  }

  #take(piece: Buffer | null): void {
    const { delayMs, jitterMs, bytesPerSecond, isBlackhole } = this.#conditions();
    if (isBlackhole) {
      this.hasLost = true;
      return;
    }
    const now = performance.now();
    const size = piece?.length ?? 0;
    const arrivesAt = now + delayMs + jitterMs * this.#random();
    this.#freeAt =
      Math.max(this.#freeAt, arrivesAt) + (bytesPerSecond > 0 ? (size / bytesPerSecond) * 1000 : 0);
    this.#waiting.push(piece);
    this.#waitingBytes += size;
    const waitMs = this.#freeAt - now;
    if (waitMs <= 0 && this.#waiting.length === 1) this.#passOn();
    // Whichever timer fires, the first in line goes.
    else setTimeout(() => this.#passOn(), waitMs);
    if (this.#waitingBytes > maxWaitingBytes) this.#from.pause();
  }

  #passOn(): void {
    const piece = this.#waiting.shift();
    if (piece === undefined || this.#to.destroyed) return;
    this.#waitingBytes -= piece?.length ?? 0;
    if (this.#conditions().isBlackhole) this.hasLost = true;
    else if (piece === null) this.#to.end();
    else if (!this.#to.write(piece)) {
      this.#from.pause();
      return;
    }
    if (this.#waitingBytes <= maxWaitingBytes) this.#from.resume();
  }
}
