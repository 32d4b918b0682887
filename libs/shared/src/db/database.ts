import pg from 'pg';
import { isPooled } from '../config/postgres-url.ts';
import type { Log } from '../log/log.ts';
import { acquireInTurn, defaultAcquireTimeoutMs } from './acquire.ts';
import { connectionOptions, noticingSilence } from './connection-options.ts';
import { drizzle, type NodePgDatabase } from './drizzle.ts';
import { DatabaseAwayError, diskFull, isConnectionFailure, ReadOnlyError, rootOf } from './failures.ts';
import { Lanes } from './lanes.ts';
import { MissedLocks } from './missed-locks.ts';
import { isReadOnly } from './own-connection.ts';
import { lookForRoom, type Room } from './room.ts';
import {
  idleInTransactionMs,
  type PoolerLimits,
  type Scope,
  scopeStatement,
  type TransactionOptions,
} from './scope.ts';
import type { Statement } from './statement.ts';
import type { TypedSql } from './typed-sql.ts';
import { PipelinedConnection } from './wire/pipelined-connection.ts';

interface DatabaseOptions {
  url: string;
  applicationName: string;
  maxConnections?: number;
  acquireTimeoutMs?: number;
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
  sharesDiskWith?: Database;
  /** True for a pool of messages alone, or of requests alone, which leaves none of it to the others. */
  isUndivided?: boolean;
  log: Log;
}

export interface Database {
  readonly pool: pg.Pool;
  /** A connection, which must be released. Owners take turns. @throws if none is free within the time limit. */
  acquire(owner?: string): Promise<pg.PoolClient>;
  readonly missedLocks: MissedLocks;
  /** Set behind a pooler, where sessions are shared: transactions set time limits and nothing is prepared. */
  readonly pooled?: PoolerLimits | undefined;
  readonly room: Room;
  /** Round trip to the server. @throws if it doesn't answer or accepts no writes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface Transaction {
  /** drizzle, bound to this transaction. */
  readonly db: NodePgDatabase;
  /** Runs a prepared statement. */
  query<Row = object>(statement: Statement<string | TypedSql<Row>>): Promise<NoInfer<Row>[]>;
  /** The statement's first row. */
  first<Row = object>(statement: Statement<string | TypedSql<Row>>): Promise<NoInfer<Row> | undefined>;
  /** The row of a statement that always has one. */
  one<Row = object>(statement: Statement<string | TypedSql<Row>>): Promise<NoInfer<Row>>;
  /** Whether the statement returns rows. */
  has(statement: Statement<string | TypedSql<unknown>>): Promise<boolean>;
  /** The number of rows. */
  count(statement: Statement<string | TypedSql<unknown>>): Promise<number>;
  /**
   * Declares that the statements of this turn of the event loop are the transaction's last: the commit is sent with
   * them, which saves a round trip. Later statements are refused.
   */
  endsHere(): void;
  /** Declares that the work has failed: statements that weren't sent yet fail with it and are not committed. */
  abandon(failure: unknown): void;
  /** Runs once the transaction is durable; never when it was rolled back. */
  afterCommit(work: () => void): void;
  /**
   * Runs when the transaction has failed. It may be committed nevertheless if the connection was lost after the
   * commit was sent.
   */
  afterFailure(work: (mayBeCommitted: boolean) => void): void;
}

declare const tenantScope: unique symbol;
declare const platformScope: unique symbol;

/** A transaction that sees the rows of the named tenants only. Row-level security enforces it. */
export interface TenantTx extends Transaction {
  readonly [tenantScope]: true;
  readonly tenantIds: readonly string[];
}

/** A transaction across tenants, for a stated reason: identity, relays, workers, housekeeping. */
export interface PlatformTx extends Transaction {
  readonly [platformScope]: true;
  readonly reason: string;
}

export type AnyTx = TenantTx | PlatformTx;

/** A new connection costs as much as several hundred statements: it has to log in and to plan all of them. */
const keptIdleMs = 60_000;
/** A server that hangs cancels no statement: the connection is closed this much later. */
export const hangGraceMs = 500;

/**
 * A login continues after its caller's time limit. On a busy machine it can take longer than that, and if each caller
 * cancelled it, none would ever get a connection.
 */
const loginTimeoutMs = 10_000;

export function createDatabase(options: DatabaseOptions): Database {
  const acquireTimeoutMs = options.acquireTimeoutMs ?? defaultAcquireTimeoutMs;
  const maxConnections = options.maxConnections ?? 8;
  const statementTimeoutMs = options.statementTimeoutMs ?? 5000;
  const lockTimeoutMs = options.lockTimeoutMs ?? 2000;
  const isBehindPooler = isPooled(options.url);
  const sessionLimits = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
  const pool = new pg.Pool({
    ...connectionOptions(isBehindPooler ? options.url : noticingSilence(options.url)),
    application_name: options.applicationName,
    max: maxConnections,
    connectionTimeoutMillis: Math.max(acquireTimeoutMs, loginTimeoutMs),
    query_timeout: statementTimeoutMs + hangGraceMs,
    ...(isBehindPooler ? {} : sessionLimits),
    idleTimeoutMillis: keptIdleMs,
    keepAlive: true,
    pipeline: true,
  } as pg.PoolConfig);
  pool.on('error', (error) => options.log.warn({ err: error }, 'an idle database connection was lost'));
  // The pool handles errors of idle connections only; an error of one in use would end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => options.log.debug({ err: error }, 'a database connection was lost'));
  });
  const room: Room = options.sharesDiskWith?.room ?? {};
  const lanes = new Lanes(maxConnections, { isDivided: options.isUndivided !== true });
  const acquire = (owner = 'service') => acquireInTurn({ pool, lanes, timeoutMs: acquireTimeoutMs }, owner);
  return {
    pool,
    acquire,
    missedLocks: new MissedLocks(),
    pooled: isBehindPooler ? { statementTimeoutMs, lockTimeoutMs } : undefined,
    room,
    ping: async () => {
      if (await isReadOnly(await acquire())) throw new ReadOnlyError();
      if (room.fault) await lookForRoom(await acquire(), room);
    },
    close: () => pool.end(),
  };
}

/** Runs `work` in a transaction that can see only these tenants' rows; ids may repeat. Resolves after the commit. */
export function withTenant<Result>(
  database: Database,
  tenantIds: readonly string[],
  work: (tx: TenantTx) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  if (tenantIds.length === 0) throw new Error('withTenant needs a tenant');
  const scope = { tenantIds: [...new Set(tenantIds)] };
  return database.missedLocks.repeat(() => transact(database, scope, work, options));
}

/** Runs `work` in a transaction across all tenants. The reason is shown in `pg_stat_activity`. */
export function withPlatform<Result>(
  database: Database,
  reason: string,
  work: (tx: PlatformTx) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  return database.missedLocks.repeat(() => transact(database, { reason }, work, options));
}

/** Callbacks for the end of a transaction, by its outcome. */
interface Ends {
  committed: (() => void)[];
  failed: ((mayBeCommitted: boolean) => void)[];
}

/** The scope is sent together with the first statements of `work`: one round trip instead of three. */
async function transact<Tx extends AnyTx, Result>(
  database: Database,
  scope: Scope,
  work: (tx: Tx) => Promise<Result>,
  options: TransactionOptions,
): Promise<Result> {
  // Connections are given to tenants in turn, if the work isn't a request's.
  const [owner = 'platform', another] = 'reason' in scope ? [] : scope.tenantIds;
  const acquiring = database.acquire(another === undefined ? owner : 'several tenants');
  const client = await acquiring.catch((error: unknown) => {
    throw new DatabaseAwayError(error);
  });
  const connection = new PipelinedConnection(client, {
    isWhole: options.isOneRoundTrip === true,
    prepares: !database.pooled,
  });
  const ends: Ends = { committed: [], failed: [] };
  let broken = false;
  try {
    const opening = Promise.all([
      connection.begin(),
      connection.ask(scopeStatement(scope, options, database.pooled)),
    ]);
    opening.catch(() => undefined);
    // If several fail together, the error of `work` is the most informative.
    const result = await work(transactionOn(connection, scope, { ends, ...options }) as Tx);
    await opening;
    const { command } = await connection.commit();
    if (command !== 'COMMIT') throw new Error('the transaction was aborted by an error that nobody handled');
    ends.failed = [];
    for (const done of ends.committed) done();
    return result;
  } catch (error) {
    for (const undo of ends.failed) undo(connection.mayBeCommitted);
    broken = isConnectionFailure(error);
    if (rootOf(error)?.code === diskFull) database.room.fault ??= error;
    if (!broken) await connection.rollback(error).catch(() => (broken = true));
    throw broken ? new DatabaseAwayError(error) : error;
  } finally {
    client.release(broken);
  }
}

function transactionOn(
  connection: PipelinedConnection,
  scope: Scope,
  { ends: { committed, failed }, staysOpen }: Pick<TransactionOptions, 'staysOpen'> & { ends: Ends },
): Transaction {
  let db: NodePgDatabase | undefined;
  const query = async <Row>(statement: Statement<string | TypedSql<Row>>) => {
    try {
      return (await connection.ask<Row>(statement)).rows;
    } catch (error) {
      // The stack of the call is more useful than that of the read.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  };
  return {
    ...scope,
    get db() {
      db ??= drizzle({ client: connection as unknown as pg.PoolClient });
      return db;
    },
    query,
    first: async (statement) => (await query(statement))[0],
    one: async (statement) => (await query(statement))[0]!,
    has: async (statement) => (await query(statement)).length > 0,
    count: async (statement) => (await query(statement)).length,
    endsHere: () => (staysOpen ? undefined : connection.takeCommit()),
    abandon: (failure) => connection.abandon(failure),
    afterCommit: (work) => committed.push(work),
    afterFailure: (work) => failed.push(work),
  };
}
