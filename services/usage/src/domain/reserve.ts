import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import type { reserveQuota } from '@botyard/shared/events/usage';
import { unavailable } from '@botyard/shared/http/errors';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { getQuota, lockTenants, type QuotaRow } from '../store/quotas.ts';
import { holdReservation, insertReservation, sumReserved } from '../store/reservations.ts';
import { reachedLimits } from './limits.ts';
import { currentPeriod, dayOf } from './period.ts';
import { beginQuotaUse } from './quota-periods.ts';

type Wanted = z.output<typeof reserveQuota.request>;
type Reply = z.output<typeof reserveQuota.response>;

const unlimited: Reply = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };

/**
 * Sets aside what a model call may use at most. Granted while what is used and reserved is below every limit, so that
 * only the last one granted can go beyond it. One at a time for each tenant, and the same answer for the same
 * reservation as long as it is held. @throws HttpError 503 when too many wait.
 */
export async function reserve(deps: Deps, wanted: Wanted): Promise<Reply> {
  const { tenantId } = wanted;
  try {
    return await withTenant(deps.database, [tenantId], async (tx) => {
      if (!(await getQuota(tx, tenantId))) return unlimited;
      await lockTenants(tx, [tenantId]);
      const quota = await getQuota(tx, tenantId);
      return quota ? await reserveWithin(deps, tx, quota, wanted) : unlimited;
    });
  } catch (error) {
    if (isContention(error)) throw unavailable('the quota is busy', { cause: error });
    throw error;
  }
}

async function reserveWithin(deps: Deps, tx: TenantTx, quota: QuotaRow, wanted: Wanted): Promise<Reply> {
  const { tenantId, reservationId, holdMs } = wanted;
  const granted = { hasQuota: true, granted: true, reservationId, exceeded: [] };
  const refused = { hasQuota: true, granted: false, reservationId: null };
  if (await holdReservation(tx, { tenantId, reservationId }, holdMs)) return granted;
  const used = await beginQuotaUse(tx, quota, currentPeriod(quota, deps.now()));
  const exceeded = reachedLimits(quota, used);
  if (exceeded.length > 0) return { ...refused, exceeded };
  const reserved = await sumReserved(tx, tenantId);
  if (reachedLimits(quota, used, reserved).length > 0) return { ...refused, exceeded: [] };
  await insertReservation(tx, { tenantId, reservationId, ...estimateOf(deps, wanted) }, holdMs);
  return granted;
}

function estimateOf({ costOf, now }: Deps, { provider, model, estimate }: Wanted) {
  const cost = costOf({ provider, model, ...estimate, day: dayOf(now()) });
  return { messages: 1, ...estimate, costMicroUsd: cost ?? 0 };
}
