import { AsyncLocalStorage } from 'node:async_hooks';
import { HttpError } from '../http/errors.ts';
import { Batcher } from '../work/batcher.ts';
import { type Database, type TenantTx, withTenantAtOnce } from './database.ts';

const maxTogether = 32;
/** For a row that somebody else has locked, before each work is run by itself. */
const maxLockWaitMs = 50;

/** The tenant of a piece of work, and the row that it locks, if any. */
interface WorkOf {
  tenantId: string;
  lockedId: string;
}

interface Work extends WorkOf {
  ask(tx: TenantTx): Promise<unknown>;
}

/**
 * Short transactions of many tenants, run one after another. Those that come while one is under way share the next: one
 * round trip and one wait for the disk for all of them, tenants in turn. A transaction that comes alone starts at once.
 * When one fails, or meets a row that somebody else has locked, none of its works has happened; each is run again by
 * itself while the next ones go on. So a work must be able to run twice, and no tenant's lock holds up another tenant.
 */
export class SharedTransactions {
  readonly #works: Batcher<Work, unknown>;

  constructor(database: Database) {
    const outsideTraces = AsyncLocalStorage.snapshot();
    this.#works = new Batcher({
      maxBatch: maxTogether,
      ownerOf: ({ tenantId }) => tenantId,
      write: (works) => outsideTraces(() => runOrGiveUp(database, works)),
      isOutage: () => true,
    });
  }

  /** As `withTenantAtOnce`: `work` has to send all its statements at once. Resolves after the commit. */
  run<Result>(of: WorkOf, work: (tx: TenantTx) => Promise<Result>): Promise<Result> {
    return this.#works.add({ ...of, ask: AsyncLocalStorage.bind(work) }) as Promise<Result>;
  }
}

/** @throws HttpError while the database is away. */
async function runOrGiveUp(database: Database, works: readonly Work[]): Promise<unknown[]> {
  try {
    return await runTogether(database, works);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    return works.map(({ tenantId, ask }) => withTenantAtOnce(database, [tenantId], ask));
  }
}

/** Locks rows in one order, so that no two transactions wait for each other. */
async function runTogether(database: Database, works: readonly Work[]): Promise<unknown[]> {
  const inOrder = works.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
  const tenantIds = [...new Set(works.map(({ tenantId }) => tenantId))];
  const askAll = (tx: TenantTx) => Promise.all(inOrder.map(({ ask }) => ask(tx)));
  const answers = await withTenantAtOnce(database, tenantIds, askAll, { maxLockWaitMs });
  const answerOf = new Map(inOrder.map((work, place) => [work, answers[place]]));
  return works.map((work) => answerOf.get(work));
}

const key = ({ tenantId, lockedId }: WorkOf): string => `${tenantId} ${lockedId}`;
