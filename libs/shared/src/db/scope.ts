import type { Database, PlatformTx, Statement, TenantTx } from './database.ts';

export const idleInTransactionMs = 15_000;

/** What a transaction sees, and how it runs. */
export interface Scope {
  /** What the transaction carries of it. */
  named: Pick<TenantTx, 'tenantIds'> | Pick<PlatformTx, 'reason'>;
  plansOnce?: boolean | undefined;
  /** The commit needn't wait for the disk. */
  isRelaxed?: boolean;
  /** All statements are sent together and are the transaction. Planned once, too. */
  isAtOnce?: boolean;
}

const settingScope = ["'app.tenant_ids', $1", "'app.platform', $2"];
const planningOnce = ["'plan_cache_mode', 'force_generic_plan'", "'enable_seqscan', 'off'"];
const relaxing = ["'synchronous_commit', 'off'"];
const settings = {
  scope: settingScope,
  'scope, planned once': [...settingScope, ...planningOnce],
  'scope, planned once, relaxed': [...settingScope, ...planningOnce, ...relaxing],
};

const textOf = (name: keyof typeof settings) =>
  `select ${settings[name].map((setting) => `set_config(${setting}, true)`).join(', ')}`;
const scopeTexts = {
  scope: textOf('scope'),
  'scope, planned once': textOf('scope, planned once'),
  'scope, planned once, relaxed': textOf('scope, planned once, relaxed'),
};

const limiting = [
  "'statement_timeout', $3",
  "'lock_timeout', $4",
  `'idle_in_transaction_session_timeout', '${idleInTransactionMs}'`,
];
const limits = `, ${limiting.map((setting) => `set_config(${setting}, true)`).join(', ')}`;

/** The statement that a transaction begins with. */
export function scopeStatement(
  { named, plansOnce, isAtOnce, isRelaxed }: Scope,
  { pooled }: Database,
): Statement {
  const name = isRelaxed
    ? 'scope, planned once, relaxed'
    : plansOnce || isAtOnce
      ? 'scope, planned once'
      : 'scope';
  const values = 'reason' in named ? ['', named.reason] : [named.tenantIds.join(','), ''];
  if (!pooled) return { name, text: scopeTexts[name], values };
  const { statementTimeoutMs, lockTimeoutMs } = pooled;
  return {
    name,
    text: `${scopeTexts[name]}${limits}`,
    values: [...values, String(statementTimeoutMs), String(lockTimeoutMs)],
  };
}
