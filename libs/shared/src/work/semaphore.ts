import { unavailable } from '../http/errors.ts';
import { afterPoll } from './after-poll.ts';

/** Releases the slot while work waits for an external system, such as a model's answer. */
export type ReleaseWhile = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** Gives a slot back. Further calls have no effect. */
export type Release = () => void;

interface Shares {
  /** Limit of one owner's slots, even when others are free. Defaults to all slots. */
  maxOfOne?: number;
  /** The longest wait for a slot. Unset, work waits for its turn however long that takes. */
  maxWaitMs?: number;
  /** Limits on the pieces of work that wait: those of one owner, and all. */
  maxWaitingOfOne?: number;
  maxWaiting?: number;
  /** The reason in the 503 of work that got no slot. */
  busy?: string;
}

interface Owner {
  running: number;
  /** In the order of arrival. */
  waiting: Set<() => void>;
}

/**
 * Limits how many pieces of work use something at a time, such as this process, its database or an upstream service.
 * Owners (tenants, people, addresses of strangers) take turns, whatever the number of pieces that each has, and none
 * holds more slots than its share. Work that waits for a model or a platform releases its slot meanwhile, so slow
 * answers hold none. Waiting work is bounded, too, for each owner and in total.
 */
export class Semaphore {
  readonly #slots: number;
  readonly #shares: Required<Omit<Shares, 'maxWaitMs'>> & Pick<Shares, 'maxWaitMs'>;
  readonly #owners = new Map<string, Owner>();
  /** Owners with waiting work whose share has room, in the order of their turns. */
  readonly #turns = new Set<string>();
  #running = 0;
  #waiting = 0;

  constructor(slots: number, shares: Shares = {}) {
    const unlimited = Number.POSITIVE_INFINITY;
    const busy = 'too much is going on at the moment: try again';
    this.#slots = slots;
    this.#shares = { maxOfOne: slots, maxWaitingOfOne: unlimited, maxWaiting: unlimited, busy, ...shares };
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Runs an owner's work in a slot. The work may call `releaseWhile`, once at a time. @throws as `acquire`. */
  async run<Result>(owner: string, work: (releaseWhile: ReleaseWhile) => Promise<Result>): Promise<Result> {
    let release = await this.acquire(owner);
    const releaseWhile: ReleaseWhile = async (wait) => {
      release();
      try {
        return await wait();
      } finally {
        release = await this.acquire(owner);
      }
    };
    try {
      return await work(releaseWhile);
    } finally {
      release();
    }
  }

  /**
   * Resolves once the owner has a slot.
   * @throws HttpError 503 when too much of the owner's work waits, or when this has waited for too long.
   */
  async acquire(name: string, maxWaitMs = this.#shares.maxWaitMs): Promise<Release> {
    const owner = this.#owners.get(name) ?? { running: 0, waiting: new Set() };
    const isFree = this.#running < this.#slots && this.#hasRoom(owner) && owner.waiting.size === 0;
    if (!isFree) await this.#wait(name, owner, maxWaitMs);
    else this.#begin(name, owner);
    let isHeld = true;
    return () => {
      if (isHeld) this.#end(name, owner);
      isHeld = false;
    };
  }

  #hasRoom = ({ running }: Owner): boolean => running < this.#shares.maxOfOne;

  #begin(name: string, owner: Owner): void {
    owner.running += 1;
    this.#running += 1;
    this.#owners.set(name, owner);
  }

  #end(name: string, owner: Owner): void {
    owner.running -= 1;
    this.#running -= 1;
    if (owner.waiting.size > 0) this.#turns.add(name);
    else if (owner.running === 0) this.#owners.delete(name);
    this.#grant();
  }

  async #wait(name: string, owner: Owner, maxWaitMs: number | undefined): Promise<void> {
    const { maxWaiting, maxWaitingOfOne, busy } = this.#shares;
    if (this.#waiting >= maxWaiting || owner.waiting.size >= maxWaitingOfOne) throw unavailable(busy);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    owner.waiting.add(resolve);
    this.#waiting += 1;
    this.#owners.set(name, owner);
    if (this.#hasRoom(owner)) this.#turns.add(name);
    // A slot that was given back while this process was busy still counts.
    const giveUp = () => afterPoll(() => this.#leave(name, owner, resolve) && reject(unavailable(busy)));
    const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns whether the work was still waiting. */
  #leave(name: string, owner: Owner, waiter: () => void): boolean {
    if (!owner.waiting.delete(waiter)) return false;
    this.#waiting -= 1;
    if (owner.waiting.size > 0) return true;
    this.#turns.delete(name);
    if (owner.running === 0) this.#owners.delete(name);
    return true;
  }

  /** Gives free slots to waiting work, one owner after the other. */
  #grant(): void {
    while (this.#running < this.#slots) {
      const [name] = this.#turns;
      if (name === undefined) return;
      const owner = this.#owners.get(name)!;
      const [begin] = owner.waiting;
      this.#turns.delete(name);
      if (!begin) continue;
      owner.waiting.delete(begin);
      this.#waiting -= 1;
      this.#begin(name, owner);
      begin();
      if (owner.waiting.size > 0 && this.#hasRoom(owner)) this.#turns.add(name);
    }
  }
}
