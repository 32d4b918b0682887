import { currentContext } from '../tracing/context.ts';
import type { Statement } from './statement.ts';

export const idleInTransactionMs = 15_000;

/** The time limits that transactions set themselves behind a pooler, where sessions are shared. */
export interface PoolerLimits {
  statementTimeoutMs: number;
  lockTimeoutMs: number;
}

/** The rows that a transaction sees, and how it runs. */
export interface Scope {
  /** The scope that is set in the transaction. */
  named: { tenantIds: readonly string[] } | { reason: string };
  plansOnce?: boolean | undefined;
  /** The commit doesn't wait for the disk. */
  isRelaxed?: boolean;
  /** All statements are sent together and form the transaction. They are also planned once. */
  isAtOnce?: boolean;
  /** Time limit for a row that another transaction has locked; defaults to the connection's own limit. */
  maxLockWaitMs?: number | undefined;
}

const settingScope = ["'app.tenant_ids', $1", "'app.platform', $2"];
const planningOnce = ["'plan_cache_mode', 'force_generic_plan'", "'enable_seqscan', 'off'"];
const relaxing = ["'synchronous_commit', 'off'"];

const limiting = [
  "'statement_timeout', $3",
  "'lock_timeout', $4",
  `'idle_in_transaction_session_timeout', '${idleInTransactionMs}'`,
];

/** Requests give up on a locked row early: they hold a connection meanwhile. */
const requestsLockWaitMs = 500;

/** The first statement of a transaction. */
export function scopeStatement(
  { named, plansOnce, isAtOnce, isRelaxed, maxLockWaitMs }: Scope,
  pooled: PoolerLimits | undefined,
): Statement {
  const values = 'reason' in named ? ['', named.reason] : [named.tenantIds.join(','), ''];
  const settings = [...settingScope];
  if (plansOnce || isAtOnce) settings.push(...planningOnce);
  if (isRelaxed) settings.push(...relaxing);
  if (pooled) {
    settings.push(...limiting);
    values.push(String(pooled.statementTimeoutMs), String(pooled.lockTimeoutMs));
  }
  const lockWaitMs =
    maxLockWaitMs ?? (currentContext()?.share === undefined ? undefined : requestsLockWaitMs);
  if (lockWaitMs !== undefined) settings.push(`'lock_timeout', '${lockWaitMs}'`);
  const text = `select ${settings.map((setting) => `set_config(${setting}, true)`).join(', ')}`;
  return { name: nameOf(text), text, values };
}

const names = new Map<string, string>();

/** There are only a handful of these texts. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `scope ${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** The tenant on whose turn work gets a connection, if it isn't a request. */
export function ownerOf({ named }: Scope): string {
  if ('reason' in named) return 'platform';
  return named.tenantIds.length === 1 ? (named.tenantIds[0] ?? '') : 'several tenants';
}
