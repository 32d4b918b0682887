import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { addToAllowanceUse } from '../store/allowances.ts';
import { addToCounters } from '../store/counters.ts';
import { insertLogEntries, type Use } from '../store/log-entries.ts';
import { listQuotas, lockTenants } from '../store/quotas.ts';
import { settleReservations } from '../store/reservations.ts';
import { addToPeriods } from './quota-periods.ts';
import { type Turn, toUse, usesSomething } from './use.ts';

/**
 * Logs and counts the use of turns, each turn once, settles their reservations and adds to the quotas, all in the
 * caller's transaction.
 */
export async function countTurns(deps: Deps, tx: TenantTx, turns: readonly Turn[]): Promise<void> {
  const uses = turns.map((turn) => toUse(turn, deps.costOf)).filter(usesSomething);
  const tenantIds = [...new Set(turns.map(({ tenantId }) => tenantId))];
  const ended = turns.flatMap(({ tenantId, reservationId }) =>
    reservationId ? [{ tenantId, reservationId }] : [],
  );
  // Sent together, in this order: nothing else is read or written before the lock is held.
  const [, added, quotas] = await Promise.all([
    lockTenants(tx, tenantIds),
    insertLogEntries(tx, uses),
    listQuotas(tx, tenantIds),
    settleReservations(tx, ended),
  ]);
  const fresh = uses.filter(({ turnId }) => added.delete(turnId));
  const onPlatformKeys = fresh.filter(({ keySource }) => keySource === 'platform');
  // Runs before the counters change, because a new month's sum is calculated from them.
  if (onPlatformKeys.length > 0) await addToAllowanceUse(tx, onPlatformKeys);
  if (quotas.length === 0) tx.endsHere();
  await addToCounters(tx, fresh);
  const byTenant = Map.groupBy(fresh, ({ tenantId }) => tenantId);
  for (const quota of quotas) {
    const used: Use[] = byTenant.get(quota.tenantId) ?? [];
    await addToPeriods(deps, tx, quota, used);
  }
}
