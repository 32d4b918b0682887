import { quotaChanged } from '@botyard/contracts/events/usage';
import type { InitializeQuotaBody, Limits, Quota, ResetQuotaBody } from '@botyard/contracts/http/usage';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import {
  deleteQuotaOfTenant,
  getQuota,
  insertQuota,
  listWarnings,
  lockTenants,
  type QuotaRow,
  updateQuota,
} from '../store/quotas.ts';
import { sumReserved } from '../store/reservations.ts';
import { limitsOf, reachedLimits, remainingOf } from './limits.ts';
import { currentPeriod } from './period.ts';
import { beginQuotaUse, readQuotaUse, warn } from './quota-periods.ts';

/** @throws HttpError 404 when the tenant has none. */
export async function readQuota(deps: Deps, tenantId: string): Promise<Quota> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const quota = await getQuota(tx, tenantId);
    if (!quota) throw notFound('quota');
    return await describe(deps, tx, quota);
  });
}

/** Whether messages are answered and, if not, which limits are used up. Without a quota there are no limits. */
export async function checkQuota(deps: Deps, tenantId: string) {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const quota = await getQuota(tx, tenantId);
    if (!quota) return { allowed: true, exceeded: [] };
    const used = await readQuotaUse(tx, quota, currentPeriod(quota, deps.now()));
    const exceeded = reachedLimits(quota, used);
    return { allowed: exceeded.length === 0, exceeded };
  });
}

/** @throws HttpError 409 when the tenant already has one. */
export async function initializeQuota(
  deps: Deps,
  tenantId: string,
  { limits, period }: z.output<typeof InitializeQuotaBody>,
): Promise<Quota> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    await lockTenants(tx, [tenantId]);
    const quota = await insertQuota(tx, { tenantId, period, ...columnsOf(limits), createdAt: deps.now() });
    return await announce(deps, tx, quota);
  });
}

/** @throws HttpError 404 when the tenant has none. */
export async function resetQuota(
  deps: Deps,
  tenantId: string,
  { limits, period }: z.output<typeof ResetQuotaBody>,
): Promise<Quota> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    await lockTenants(tx, [tenantId]);
    const quota = await updateQuota(
      tx,
      { tenantId },
      {
        resetAt: deps.now(),
        ...(limits ? columnsOf(limits) : {}),
        ...(period ? { period } : {}),
      },
    );
    if (!quota) throw notFound('quota');
    return await announce(deps, tx, quota);
  });
}

/** Removes the tenant's quota. Open reservations are settled as before. Has no effect without a quota. */
export async function deleteQuota(deps: Deps, tenantId: string): Promise<void> {
  await withTenant(deps.database, [tenantId], async (tx) => {
    await lockTenants(tx, [tenantId]);
    if (await deleteQuotaOfTenant(tx, tenantId)) await deps.outbox.emit(tx, quotaChanged, { tenantId });
  });
}

async function announce(deps: Deps, tx: TenantTx, quota: QuotaRow): Promise<Quota> {
  const period = currentPeriod(quota, deps.now());
  const used = await beginQuotaUse(tx, quota, period);
  await warn(deps, tx, { quota, period, used });
  await deps.outbox.emit(tx, quotaChanged, { tenantId: quota.tenantId });
  return await describe(deps, tx, quota);
}

async function describe({ now }: Deps, tx: TenantTx, quota: QuotaRow): Promise<Quota> {
  const { tenantId, createdAt, resetAt } = quota;
  const period = currentPeriod(quota, now());
  const [used, reserved, warnings] = await Promise.all([
    readQuotaUse(tx, quota, period),
    sumReserved(tx, tenantId),
    listWarnings(tx, { tenantId, periodStart: period.start }),
  ]);
  return {
    limits: limitsOf(quota),
    period: quota.period,
    periodStart: period.start.toISOString(),
    periodEnd: period.end.toISOString(),
    used,
    reserved,
    remaining: remainingOf(quota, used, reserved),
    exceeded: reachedLimits(quota, used),
    warnings: warnings.map(({ limitName, level, warnedAt }) => ({
      limit: limitName,
      level,
      warnedAt: warnedAt.toISOString(),
    })),
    createdAt: createdAt.toISOString(),
    resetAt: resetAt?.toISOString() ?? null,
  };
}

/** An omitted limit means no limit. */
const columnsOf = ({ messages, inputTokens, outputTokens, costMicroUsd }: z.output<typeof Limits>) => ({
  messages: messages ?? null,
  inputTokens: inputTokens ?? null,
  outputTokens: outputTokens ?? null,
  costMicroUsd: costMicroUsd ?? null,
});
