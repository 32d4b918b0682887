import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpError } from '../http/errors.ts';
import { RoundRobinQueue } from '../work/round-robin-queue.ts';
import { type Database, type TenantTx, withTenantAtOnce } from './database.ts';

const maxTogether = 32;

/** A row that the work locks, if it locks one: works of a transaction are asked in this order, so that no two wait for each other. */
export interface WorkOf {
  tenantId: string;
  lockedId: string;
}

interface Waiting extends WorkOf {
  /** Asks everything in one turn of the event loop. */
  ask(tx: TenantTx): Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Runs short transactions of many tenants, one after another. Those that come while one is under way share the next: one round trip
 * and one wait for the disk for all of them. A transaction that comes alone starts at once. When a shared one fails, none of its works
 * has happened, and each is run again by itself; so a work must be able to run twice.
 */
export class SharedTransactions {
  readonly #database: Database;
  readonly #waiting = new RoundRobinQueue<Waiting>();
  readonly #outsideTraces = AsyncLocalStorage.snapshot();
  #isRunning = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** As `withTenantAtOnce`: `work` has to send all its statements at once. Resolves after the commit. */
  run<Result>(of: WorkOf, work: (tx: TenantTx) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let result: Result;
      const ask = AsyncLocalStorage.bind(async (tx: TenantTx) => {
        result = await work(tx);
      });
      const { tenantId, lockedId } = of;
      this.#waiting.add(tenantId, { tenantId, lockedId, ask, resolve: () => resolve(result), reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      void this.#outsideTraces(() => this.#runWaiting());
    });
  }

  async #runWaiting(): Promise<void> {
    // The last look and the reset are in one turn, so nothing that comes in between is left waiting.
    while (this.#waiting.size > 0) await this.#runTogether(this.#waiting.take(maxTogether));
    this.#isRunning = false;
  }

  async #runTogether(works: readonly Waiting[]): Promise<void> {
    const inOrder = works.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
    const tenantIds = [...new Set(works.map(({ tenantId }) => tenantId))];
    try {
      await withTenantAtOnce(this.#database, tenantIds, async (tx) => {
        await Promise.all(inOrder.map(({ ask }) => ask(tx)));
      });
      for (const { resolve } of works) resolve();
    } catch (error) {
      if (works.length === 1 || isOutage(error)) for (const { reject } of works) reject(error);
      else void this.#runOneByOne(works);
    }
  }

  async #runOneByOne(works: readonly Waiting[]): Promise<void> {
    for (const work of works) await this.#runTogether([work]);
  }
}

const key = ({ tenantId, lockedId }: WorkOf): string => `${tenantId} ${lockedId}`;

const isOutage = (error: unknown): boolean => error instanceof HttpError && error.status === 503;
