import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../http/errors.ts';

/** The owner of bytes: a client's address that has proven nothing yet, or a tenant. */
export type ByteOwner = { address: string } | { tenantId: string };

interface Limits {
  /** For all strangers together, and for all tenants together. */
  maxBytes: number;
  /** For one of them. */
  maxBytesOfOne: number;
}

interface Options {
  strangers: Limits;
  tenants: Limits;
  /** The plural or the mass of what is counted, for messages. */
  what: string;
  /** The time for which a delivery over its owner's share waits for the owner's others. */
  maxWaitMs?: number;
}

const pollMs = 50;
/** A stranger's delivery that is older than this is the first to go when there is no room. */
const slowAfterMs = 10_000;

/**
 * Bounds the bytes of all deliveries that are read at the same time (REQ-REL-9), with a share for each owner. A
 * delivery over its owner's share waits, and then gets 503. If all owners together have no room left, the oldest
 * delivery of the one that holds the most is ended, so that nobody is kept out by what others hold open.
 */
export class FairBudget {
  readonly #pools: { strangers: Pool; tenants: Pool };
  readonly #waiting: Waiting;

  constructor({ strangers, tenants, what, maxWaitMs = 5000 }: Options) {
    this.#pools = { strangers: new Pool(strangers), tenants: new Pool(tenants) };
    this.#waiting = { maxWaitMs, what };
  }

  /** Bytes that are held now. */
  get taken(): number {
    return this.#pools.strangers.taken + this.#pools.tenants.taken;
  }

  open(owner: ByteOwner): Holding {
    return new Holding(this.#placeOf(owner), (of) => this.#placeOf(of), this.#waiting);
  }

  #placeOf(owner: ByteOwner): Place {
    return 'address' in owner
      ? { pool: this.#pools.strangers, key: owner.address, isStranger: true }
      : { pool: this.#pools.tenants, key: owner.tenantId, isStranger: false };
  }
}

type Waiting = Readonly<Required<Pick<Options, 'maxWaitMs' | 'what'>>>;

interface Place {
  pool: Pool;
  key: string;
  isStranger: boolean;
}

/** The bytes of one delivery. */
export class Holding {
  readonly #placeOf: (owner: ByteOwner) => Place;
  readonly #waiting: Waiting;
  readonly #ended = new AbortController();
  readonly beganAt = performance.now();
  #place: Place;
  #bytes = 0;
  #hasArrived = false;

  constructor(place: Place, placeOf: (owner: ByteOwner) => Place, waiting: Waiting) {
    this.#place = place;
    this.#placeOf = placeOf;
    this.#waiting = waiting;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it may have to make room for others. */
  get canBeEnded(): boolean {
    return !this.#hasArrived;
  }

  get isSlowStranger(): boolean {
    return this.#place.isStranger && this.canBeEnded && performance.now() - this.beganAt > slowAfterMs;
  }

  /** Aborted when the delivery has to make room for others, or is over. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Everything has arrived and is soon handled: from now on it makes no room for others. */
  arrived(): void {
    this.#hasArrived = true;
  }

  /** Holds this many bytes in all from now on. @throws HttpError 503 if there is no room, also after a wait. */
  async hold(bytes: number): Promise<void> {
    await this.add(bytes - this.#bytes);
  }

  /** @throws HttpError 503 if there is no room, also after a wait. */
  async add(bytes: number): Promise<void> {
    const until = performance.now() + this.#waiting.maxWaitMs;
    while (!this.#hasTaken(bytes)) {
      if (performance.now() >= until) throw tooMuch(this.#waiting);
      await pause(pollMs);
    }
  }

  /** From now on the bytes are another owner's. @throws HttpError 503 if there is no room, also after a wait. */
  async chargeTo(owner: ByteOwner): Promise<void> {
    const bytes = this.#bytes;
    this.#give(bytes);
    this.#place = this.#placeOf(owner);
    await this.add(bytes);
  }

  /** Gives all bytes back. May be called more than once. */
  end(): void {
    this.#give(this.#bytes);
    this.#ended.abort(tooMuch(this.#waiting));
  }

  #hasTaken(bytes: number): boolean {
    this.#ended.signal.throwIfAborted();
    const { pool, key } = this.#place;
    if (bytes > 0 && !pool.hasRoom(key, this, bytes)) return false;
    this.#bytes += bytes;
    pool.change(key, this, bytes);
    return true;
  }

  #give(bytes: number): void {
    this.#bytes -= bytes;
    this.#place.pool.change(this.#place.key, this, -bytes);
  }
}

const tooMuch = ({ what }: Waiting) => unavailable(`too many ${what} at the moment: try again later`);

/** The bytes of strangers, or of tenants, by owner. */
class Pool {
  readonly #limits: Limits;
  readonly #owners = new Map<string, { bytes: number; holdings: Set<Holding> }>();
  taken = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  change(key: string, holding: Holding, bytes: number): void {
    const owner = this.#owners.get(key) ?? { bytes: 0, holdings: new Set() };
    owner.bytes += bytes;
    this.taken += bytes;
    if (holding.bytes > 0) owner.holdings.add(holding);
    else owner.holdings.delete(holding);
    if (owner.holdings.size > 0) this.#owners.set(key, owner);
    else this.#owners.delete(key);
  }

  /** Ends deliveries of others that hold more, if that makes room. */
  hasRoom(key: string, holding: Holding, bytes: number): boolean {
    const own = this.#owners.get(key)?.bytes ?? 0;
    if (own + bytes > this.#limits.maxBytesOfOne) return false;
    while (this.taken + bytes > this.#limits.maxBytes) {
      const other = this.#slowest(holding) ?? this.#oldestOfLargest(key, own + bytes);
      if (!other) return false;
      other.end();
    }
    return true;
  }

  #slowest(than: Holding): Holding | undefined {
    const holdings = this.#owners.values().flatMap((owner) => owner.holdings);
    return oldest(holdings.filter((one) => one !== than && one.isSlowStranger));
  }

  #oldestOfLargest(key: string, ownBytes: number): Holding | undefined {
    let largest: { bytes: number; holdings: Set<Holding> } | undefined;
    for (const [other, owner] of this.#owners) {
      const isLarger = other !== key && owner.bytes > (largest?.bytes ?? ownBytes);
      if (isLarger && owner.holdings.values().some(({ canBeEnded }) => canBeEnded)) largest = owner;
    }
    return largest && oldest(largest.holdings.values().filter(({ canBeEnded }) => canBeEnded));
  }
}

const oldest = (holdings: Iterable<Holding>): Holding | undefined =>
  [...holdings].reduce<Holding | undefined>(
    (first, one) => (first === undefined || one.beganAt < first.beganAt ? one : first),
    undefined,
  );
