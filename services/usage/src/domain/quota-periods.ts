import { quotaWarned } from '@botyard/contracts/events/usage';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import type { CounterSums } from '../store/counters.ts';
import type { Use } from '../store/log-entries.ts';
import {
  addToQuotaUse,
  getQuotaUse,
  insertQuotaUse,
  insertWarnings,
  type QuotaRow,
} from '../store/quotas.ts';
import { sumUse } from '../store/sums.ts';
import { reachedLevels } from './limits.ts';
import { type Period, periodOf } from './period.ts';

/** A quota's use in a period. Only reads: a period without a running sum is summed up. */
export async function readQuotaUse(
  tx: TenantTx,
  { tenantId }: QuotaRow,
  period: Period,
): Promise<CounterSums> {
  const kept = await getQuotaUse(tx, { tenantId, periodStart: period.start });
  return kept ?? (await sumUse(tx, tenantId, period));
}

/** The same, and begins the period's running sum. The caller has locked the tenant. */
export async function beginQuotaUse(
  tx: TenantTx,
  { tenantId }: QuotaRow,
  period: Period,
): Promise<CounterSums> {
  const key = { tenantId, periodStart: period.start };
  const kept = await getQuotaUse(tx, key);
  if (kept) return kept;
  const sums = await sumUse(tx, tenantId, period);
  await insertQuotaUse(tx, key, sums);
  return sums;
}

/**
 * Adds counted uses to the running sums of their periods, and warns of the levels that they reached. Uses from before
 * the quota was created or reset belong to none of its periods.
 */
export async function addToPeriods(
  deps: Deps,
  tx: TenantTx,
  quota: QuotaRow,
  uses: readonly Use[],
): Promise<void> {
  const since = Math.max(quota.createdAt.getTime(), quota.resetAt?.getTime() ?? 0);
  const periods = Map.groupBy(uses, ({ completedAt }) =>
    periodOf(quota, new Date(completedAt)).start.getTime(),
  );
  for (const inPeriod of periods.values()) {
    const period = periodOf(quota, new Date(inPeriod[0]!.completedAt));
    if (period.end.getTime() <= since) continue;
    const key = { tenantId: quota.tenantId, periodStart: period.start };
    const used =
      (await addToQuotaUse(tx, key, totalOf(inPeriod))) ?? (await beginQuotaUse(tx, quota, period));
    await warn(deps, tx, { quota, period, used });
  }
}

/** Announces levels that are reached for the first time. */
export async function warn(
  { outbox, now }: Pick<Deps, 'outbox' | 'now'>,
  tx: TenantTx,
  { quota, period, used }: { quota: QuotaRow; period: Period; used: CounterSums },
): Promise<void> {
  const { tenantId } = quota;
  const reached = reachedLevels(quota, used);
  const rows = reached.map(({ limit, level }) => ({
    tenantId,
    periodStart: period.start,
    limitName: limit,
    level,
    warnedAt: now(),
  }));
  const fresh = await insertWarnings(tx, rows);
  for (const one of reached.filter(({ limit, level }) =>
    fresh.some((row) => row.limitName === limit && row.level === level),
  )) {
    const [periodStart, periodEnd] = [period.start.toISOString(), period.end.toISOString()];
    await outbox.emit(tx, quotaWarned, { tenantId, ...one, periodStart, periodEnd });
  }
}

/** Sums of counters. The cost covers the priced parts, and is null when there are none. */
export function totalOf(parts: readonly CounterSums[]): CounterSums {
  const sum = (name: keyof CounterSums) => parts.reduce((total, part) => total + (part[name] ?? 0), 0);
  return {
    messages: sum('messages'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    toolCalls: sum('toolCalls'),
    costMicroUsd: parts.every(({ costMicroUsd }) => costMicroUsd === null) ? null : sum('costMicroUsd'),
    unpricedTurns: sum('unpricedTurns'),
  };
}
