import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpError } from '../http/errors.ts';
import { Batcher } from '../work/batcher.ts';
import { type Database, type TenantTx, withTenantAtOnce } from './database.ts';

const maxTogether = 32;
/** For a row that somebody else has locked, before each work is run by itself. */
const maxLockWaitMs = 50;

interface SharedTransactionsOptions<Work, Result> {
  database: Database;
  /** The tenant of a piece of work, and the row that it locks, if any. */
  of(work: Work): { tenantId: string; lockedId: string };
  /**
   * Does all of them, in the order in which their rows are to be locked, and answers in that order. It has to send all
   * its statements at once.
   */
  ask(tx: TenantTx, works: readonly Work[]): Promise<Result[]>;
}

/**
 * Short transactions of many tenants, run one after another. Those that come while one is under way share the next: one
 * round trip and one wait for the disk for all of them, tenants in turn. A transaction that comes alone starts at once.
 * When one fails, or meets a row that somebody else has locked, none of its works has happened; each is run again by
 * itself while the next ones go on. So a work must be able to run twice, and no tenant's lock holds up another tenant.
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
    const { database, of, ask } = this.#options;
    const [answer] = await withTenantAtOnce(database, [of(work).tenantId], (tx) => ask(tx, [work]));
    return answer as Result;
  }

  /** Locks rows in one order, so that no two transactions wait for each other. */
  async #runTogether(works: readonly Work[]): Promise<Result[]> {
    const { database, of, ask } = this.#options;
    const key = (work: Work): string => `${of(work).tenantId} ${of(work).lockedId}`;
    const inOrder = works.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
    const tenantIds = [...new Set(works.map((work) => of(work).tenantId))];
    const answers = await withTenantAtOnce(database, tenantIds, (tx) => ask(tx, inOrder), { maxLockWaitMs });
    const answerOf = new Map(inOrder.map((work, place) => [work, answers[place] as Result]));
    return works.map((work) => answerOf.get(work) as Result);
  }
}
