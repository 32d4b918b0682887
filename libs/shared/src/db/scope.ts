import { currentContext } from '../tracing/context.ts';
import type { Statement } from './statement.ts';

export const idleInTransactionMs = 15_000;

/** The time limits that transactions set themselves behind a pooler, where sessions are shared. */
export interface PoolerLimits {
  statementTimeoutMs: number;
  lockTimeoutMs: number;
}

/** How a transaction runs. Each option is for work that runs for every message or request. */
export interface TransactionOptions {
  /**
   * `work` sends all its statements together, and they form the transaction: saves the round trip of the commit, and
   * `begin`. A statement that is sent after an answer fails. Statements are planned as with `plansOnce`.
   */
  isOneRoundTrip?: boolean;
  /**
   * `false`: the commit doesn't wait for the disk, which saves a flush. For reads, leases and marks that a crash of
   * the database may undo without harm. The transaction is still atomic.
   */
  isDurable?: boolean;
  /**
   * Statements are planned once per connection, and by indexes. By default Postgres plans most of our statements at
   * every run, because it prefers a list of one over a list of unknown length; planning costs as much as running
   * them. Then a parameter can't stand in for the condition of a partial index.
   */
  plansOnce?: boolean;
  /** More statements may follow those that a part of `work` announces as the last (`endsHere`). */
  staysOpen?: boolean;
  /** Time limit for a row that another transaction has locked; defaults to the connection's own limit. */
  maxLockWaitMs?: number;
}

/** The rows that a transaction sees. */
export type Scope = { tenantIds: readonly string[] } | { reason: string };

const settingScope = ["'app.tenant_ids', $1", "'app.platform', $2"];
/** A bitmap has no order: for the newest rows of a chat it would read all of them. */
const planningOnce = [
  "'plan_cache_mode', 'force_generic_plan'",
  "'enable_seqscan', 'off'",
  "'enable_bitmapscan', 'off'",
];
const notWaitingForDisk = ["'synchronous_commit', 'off'"];

const limiting = [
  "'statement_timeout', $3",
  "'lock_timeout', $4",
  `'idle_in_transaction_session_timeout', '${idleInTransactionMs}'`,
];

/** Requests give up on a locked row early: they hold a connection meanwhile. */
const requestsLockWaitMs = 500;

/** The statements' names by their texts, of which there are only a handful. */
const names = new Map<string, string>();

/** The first statement of a transaction. */
export function scopeStatement(
  scope: Scope,
  { plansOnce, isOneRoundTrip, isDurable, maxLockWaitMs }: TransactionOptions,
  pooled: PoolerLimits | undefined,
): Statement {
  const values = 'reason' in scope ? ['', scope.reason] : [scope.tenantIds.join(','), ''];
  const settings = [...settingScope];
  if (plansOnce || isOneRoundTrip) settings.push(...planningOnce);
  if (isDurable === false) settings.push(...notWaitingForDisk);
  if (pooled) {
    settings.push(...limiting);
    values.push(String(pooled.statementTimeoutMs), String(pooled.lockTimeoutMs));
  }
  const lockWaitMs =
    maxLockWaitMs ?? (currentContext()?.share === undefined ? undefined : requestsLockWaitMs);
  if (lockWaitMs !== undefined) settings.push(`'lock_timeout', '${lockWaitMs}'`);
  const text = `select ${settings.map((setting) => `set_config(${setting}, true)`).join(', ')}`;
  const name = names.get(text) ?? `scope ${names.size + 1}`;
  names.set(text, name);
  return { name, text, values };
}
