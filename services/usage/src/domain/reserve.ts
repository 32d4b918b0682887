import type { reserveQuota } from '@botyard/contracts/events/usage';
import { type Database, type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { unavailable } from '@botyard/shared/http/errors';
import type { Log } from '@botyard/shared/log/log';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { type AllowanceKind, allowanceKindOf } from '../store/allowances.ts';
import { getQuota, lockTenants, type QuotaRow } from '../store/quotas.ts';
import {
  deleteOldReservations,
  holdReservation,
  insertReservation,
  isReserved,
  type Reserved,
  sumReserved,
} from '../store/reservations.ts';
import { allowanceLimit, type Spent, spentOf, verdictOf } from './allowance.ts';
import { reachedLimits } from './limits.ts';
import { currentPeriod, dayOf } from './period.ts';
import { beginQuotaUse, readQuotaUse } from './quota-periods.ts';

type Wanted = z.output<typeof reserveQuota.request>;
type Reply = z.output<typeof reserveQuota.response>;

/**
 * Reserves the most that a model call may use, from the tenant's quota and, for a call on a key of the platform, from
 * its allowance. Granted while use and reservations are below every limit, so that only the last granted call can
 * exceed one. Requests of a tenant are handled one at a time, and the answer for a reservation stays the same as long
 * as it is held.
 * @throws HttpError 503 when too many are pending.
 */
export async function reserve(deps: Deps, wanted: Wanted): Promise<Reply> {
  try {
    return await withTenant(deps.database, [wanted.tenantId], async (tx) => {
      const [bounds, isHeld] = await Promise.all([boundsOf(deps, tx, wanted), isReserved(tx, wanted)]);
      if (isUnbounded(bounds)) return unlimited(wanted);
      // A refusal that is certain doesn't need to wait for the lock.
      const refusal = isHeld ? undefined : await refusalOf(deps, tx, { ...bounds, usedOf: readQuotaUse });
      return refusal ?? (await reserveAlone(deps, tx, wanted));
    });
  } catch (error) {
    if (isContention(error))
      throw unavailable('too many requests for the quota of this tenant are pending: try again', {
        cause: error,
      });
    throw error;
  }
}

/** A call's limits, and how much of them other calls have reserved or used. */
interface Bounds {
  quota: QuotaRow | undefined;
  reserved: Reserved;
  /** The platform's allowance; `null` for a call on the tenant's own key. */
  allowance: (Spent & { limit: number | null }) | null;
}

async function boundsOf(deps: Deps, tx: TenantTx, wanted: Wanted): Promise<Bounds> {
  const { tenantId } = wanted;
  const kind = kindOf(wanted);
  const [quota, reserved, limit, spent] = await Promise.all([
    getQuota(tx, tenantId),
    sumReserved(tx, tenantId),
    kind && allowanceLimit(deps, tx, { tenantId, kind }),
    kind && spentOf(deps, tx, { tenantId, kind }),
  ]);
  return { quota, reserved, allowance: spent && { ...spent, limit } };
}

/** The platform's allowance that a call counts against; `null` for the tenant's own key. */
const kindOf = ({ keyOwner, provider }: Wanted): AllowanceKind | null =>
  keyOwner === 'platform' ? allowanceKindOf(provider) : null;

const isUnbounded = ({ quota, allowance }: Bounds): boolean =>
  !quota && (allowance === null || allowance.limit === null);

const unlimited = (wanted: Wanted): Reply => ({
  hasQuota: false,
  granted: true,
  reservationId: null,
  exceeded: [],
  ...(kindOf(wanted) ? { platformKey: 'unlimited' } : {}),
});

/** Runs with the tenant locked. All reads are sent together, because other requests wait meanwhile. */
async function reserveAlone(deps: Deps, tx: TenantTx, wanted: Wanted): Promise<Reply> {
  const { tenantId, reservationId, holdMs } = wanted;
  const kind = kindOf(wanted);
  // Sent in this order: nothing is read before the lock is held.
  const [, bounds, held] = await Promise.all([
    lockTenants(tx, [tenantId]),
    boundsOf(deps, tx, wanted),
    holdReservation(tx, wanted, holdMs),
  ]);
  const { quota, allowance } = bounds;
  if (isUnbounded(bounds)) return unlimited(wanted);
  const granted: Reply = {
    hasQuota: quota !== undefined,
    granted: true,
    reservationId,
    exceeded: [],
    ...(allowance ? { platformKey: allowance.limit === null ? 'unlimited' : 'granted' } : {}),
  };
  if (held?.isSettled || (held && (kind === null || held.allowance === kind))) return granted;
  // A held reservation is already within the quota.
  const room = held ? { ...bounds, quota: undefined } : bounds;
  const refusal = await refusalOf(deps, tx, { ...room, usedOf: beginQuotaUse });
  if (refusal) return { ...refusal, hasQuota: quota !== undefined };
  tx.endsHere();
  const reservation = { tenantId, reservationId, allowance: kind, ...estimateOf(deps, wanted) };
  await insertReservation(tx, reservation, holdMs);
  return granted;
}

/**
 * The reason why a call may not be made. A limit that is full only because of others' reservations doesn't count as
 * exceeded.
 */
async function refusalOf(
  deps: Deps,
  tx: TenantTx,
  { quota, reserved, allowance, usedOf }: Bounds & { usedOf: typeof readQuotaUse },
): Promise<Reply | undefined> {
  const refused = { hasQuota: quota !== undefined, granted: false, reservationId: null, exceeded: [] };
  if (quota) {
    const used = await usedOf(tx, quota, currentPeriod(quota, deps.now()));
    const exceeded = reachedLimits(quota, used);
    if (reachedLimits(quota, used, reserved).length > 0) return { ...refused, exceeded };
  }
  const platformKey = allowance ? verdictOf(allowance, allowance.limit) : 'granted';
  return platformKey === 'granted' ? undefined : { ...refused, platformKey };
}

function estimateOf({ costOf, now }: Deps, { provider, model, estimate }: Wanted) {
  const cost = costOf({ provider, model, ...estimate, day: dayOf(now()) });
  return { messages: 1, ...estimate, costMicroUsd: cost ?? 0 };
}

/** Removes expired reservations. The time doesn't matter: they already count for nothing. */
export function createHousekeeping({ database, log }: { database: Database; log: Log }): Worker {
  return createPeriodic({
    name: 'old reservations',
    everyMs: 60_000,
    log,
    work: async (isStopped) => {
      while (!isStopped() && (await withPlatform(database, 'old reservations', deleteOldReservations)));
    },
  });
}
