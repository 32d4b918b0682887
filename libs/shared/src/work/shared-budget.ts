import { unavailable } from '../http/errors.ts';

interface BudgetOptions {
  /** All that there is: bytes, streams, trials. */
  max: number;
  /** A part of it for owners that have little. */
  reserve?: number;
  /** The plural of what is counted, for messages. */
  what: string;
}

export interface Share {
  owner: string;
  /** The most that the owner may have at a time. */
  max: number;
  /** The most that the owner may have while only the reserve is left; defaults to `max`. */
  maxFromReserve?: number;
}

/**
 * Divides something that isn't worth waiting for, such as memory or open streams, by shares. An amount can count for
 * several owners, such as a person and their tenant.
 */
export class SharedBudget {
  readonly #options: Required<BudgetOptions>;
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor({ max, reserve = 0, what }: BudgetOptions) {
    this.#options = { max, reserve, what };
  }

  get total(): number {
    return this.#total;
  }

  /**
   * Takes an amount, and returns the function that gives it back.
   * @throws HttpError 503 when it exceeds a share, or what is left.
   */
  take(shares: readonly Share[], amount = 1): () => void {
    const { max, reserve, what } = this.#options;
    const after = ({ owner }: Share) => (this.#used.get(owner) ?? 0) + amount;
    const exceeded = shares.find((share) => after(share) > share.max);
    if (exceeded) throw unavailable(`${exceeded.max} ${what} are as many as you may have: try again later`);
    const isFromReserve = this.#total + amount > max - reserve;
    const hasEnough = (share: Share) => after(share) > (share.maxFromReserve ?? share.max);
    if (this.#total + amount > max || (isFromReserve && shares.some(hasEnough)))
      throw unavailable(`too many ${what} at the moment: try again later`);
    this.#add(shares, amount);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(shares, -amount);
      isTaken = false;
    };
  }

  #add(shares: readonly Share[], amount: number): void {
    this.#total += amount;
    for (const { owner } of shares) {
      const used = (this.#used.get(owner) ?? 0) + amount;
      if (used > 0) this.#used.set(owner, used);
      else this.#used.delete(owner);
    }
  }
}
