import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpError } from '../http/errors.ts';
import { Batcher } from '../work/batcher.ts';
import { type Database, type TenantTx, withTenant } from './database.ts';
import type { TransactionOptions } from './scope.ts';

const maxTogether = 32;
/** Time limit for a row that another transaction has locked, before each work is run separately. */
const maxLockWaitMs = 50;

interface SharedTransactionsOptions<Work, Result> {
  database: Database;
  /** The tenant of a piece of work, and the row that it locks, if any. */
  of(work: Work): { tenantId: string; lockedId: string };
  /**
   * Runs all works, in the order in which their rows are to be locked, and returns results in that order. All its
   * statements have to be sent together, unless it `looksAtResults`.
   */
  ask(tx: TenantTx, works: readonly Work[]): Promise<Result[]>;
  /** `ask` may look at results before it sends further statements, or the commit: each time is a round trip. */
  looksAtResults?: boolean;
}

/**
 * Short transactions of many tenants, run one after another. Works that arrive during a transaction share the next
 * one: one round trip and one disk flush for all of them, tenants in turn. A single work starts immediately. If a
 * shared transaction fails, or meets a row that another transaction has locked, it is rolled back, and each work is
 * run again separately while the next ones continue. So a work must be safe to run twice, and no tenant's lock delays
 * another tenant.
 */
export class SharedTransactions<Work, Result> {
  readonly #options: SharedTransactionsOptions<Work, Result>;
  readonly #works: Batcher<Work, Result | Promise<Result>>;

  constructor(options: SharedTransactionsOptions<Work, Result>) {
    this.#options = options;
    const outsideTraces = AsyncLocalStorage.snapshot();
    this.#works = new Batcher({
      maxBatch: maxTogether,
      ownerOf: (work) => options.of(work).tenantId,
      write: (works) => outsideTraces(() => this.#runOrGiveUp(works)),
      isOutage: () => true,
    });
  }

  /** Resolves after the commit. */
  run(work: Work): Promise<Result> {
    return this.#works.add(work) as Promise<Result>;
  }

  /** @throws HttpError while the database is away. */
  async #runOrGiveUp(works: readonly Work[]): Promise<(Result | Promise<Result>)[]> {
    try {
      return await this.#runTogether(works);
    } catch (error) {
      if (error instanceof HttpError) throw error;
      return works.map((work) => this.#runAlone(work));
    }
  }

  async #runAlone(work: Work): Promise<Result> {
    const { of, ask } = this.#options;
    const [answer] = await this.#transact([of(work).tenantId], (tx) => ask(tx, [work]));
    return answer as Result;
  }

  /** Locks rows in one order, so that no two transactions wait for each other. */
  async #runTogether(works: readonly Work[]): Promise<Result[]> {
    const { of, ask } = this.#options;
    const key = (work: Work): string => `${of(work).tenantId} ${of(work).lockedId}`;
    const inOrder = works.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
    const tenantIds = works.map((work) => of(work).tenantId);
    const answers = await this.#transact(tenantIds, (tx) => ask(tx, inOrder), { maxLockWaitMs });
    const answerOf = new Map(inOrder.map((work, place) => [work, answers[place] as Result]));
    return works.map((work) => answerOf.get(work) as Result);
  }

  #transact(
    tenantIds: readonly string[],
    work: (tx: TenantTx) => Promise<Result[]>,
    limits: Pick<TransactionOptions, 'maxLockWaitMs'> = {},
  ): Promise<Result[]> {
    const { database, looksAtResults = false } = this.#options;
    return withTenant(database, tenantIds, work, {
      ...limits,
      isOneRoundTrip: !looksAtResults,
      plansOnce: true,
    });
  }
}
