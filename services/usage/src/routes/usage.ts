import type { usageRouter } from '@botyard/shared/contracts/usage';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { dayOf, monthOf } from '../domain/period.ts';
import { sumCounters } from '../store/counters.ts';

export const usageHandlers: Handlers<typeof usageRouter, Deps> = {
  getUsage: async ({ tenantId }, { database }) => {
    const { start, end } = monthOf(new Date());
    const days = { from: dayOf(start), before: dayOf(end) };
    const counters = await withTenant(database, [tenantId], (tx) => sumCounters(tx, tenantId, days));
    return { periodStart: start.toISOString(), periodEnd: end.toISOString(), counters };
  },
};
