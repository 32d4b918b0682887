import type { listQuotasLeft, sumUsed } from '@botyard/contracts/events/usage';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { listWithQuota, sumUsedBy } from '../store/activity.ts';
import { readQuota } from './quota.ts';

/** Use over time. */
export async function usedOverTime(
  database: Database,
  request: z.output<typeof sumUsed.request>,
): Promise<z.input<typeof sumUsed.response>> {
  const rows = await withTenant(database, request.tenantIds, (tx) => sumUsedBy(tx, request));
  return { series: rows.map(({ at, ...figures }) => ({ ...figures, at: at.toISOString() })) };
}

/** The remainder of quotas. Quotas that were deleted meanwhile are left out. */
export async function quotasLeft(
  deps: Deps,
  { tenantIds }: z.output<typeof listQuotasLeft.request>,
): Promise<z.input<typeof listQuotasLeft.response>> {
  const limited = await withTenant(deps.database, tenantIds, (tx) => listWithQuota(tx, tenantIds));
  const tenants: z.input<typeof listQuotasLeft.response>['tenants'] = [];
  for (const tenantId of limited) {
    try {
      const { limits, remaining, exceeded, periodEnd } = await readQuota(deps, tenantId);
      tenants.push({ tenantId, limits, remaining, exceeded, periodEnd });
    } catch (error) {
      if (!(error instanceof HttpError && error.status === 404)) throw error;
    }
  }
  return { tenants };
}
