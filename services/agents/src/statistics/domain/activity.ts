import type { countRefusals as request } from '@botyard/contracts/events/agents';
import type { countHeldWork, sumSaid } from '@botyard/contracts/events/agents-requests';
import { Refusal } from '@botyard/contracts/events/tenancy';
import { type Database, withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import { countHeld, countRefusalsSince, sumSaidBy } from '../store/activity.ts';

/** Waiting and dead messages in each tenant. */
export async function heldWorkOf(
  database: Database,
  { tenantIds }: z.output<typeof countHeldWork.request>,
): Promise<z.input<typeof countHeldWork.response>> {
  const rows = await withTenant(database, tenantIds, (tx) => countHeld(tx, tenantIds));
  return {
    tenants: rows.map((row) => ({ ...row, oldestWaitingAt: row.oldestWaitingAt?.toISOString() ?? null })),
  };
}

/** Messages over time. */
export async function saidOverTime(
  database: Database,
  { tenantIds, unit, from, to }: z.output<typeof sumSaid.request>,
): Promise<z.input<typeof sumSaid.response>> {
  const span = { tenantIds, unit, from: new Date(from), to: new Date(to) };
  const rows = await withTenant(database, tenantIds, (tx) => sumSaidBy(tx, span));
  return { series: rows.map(({ at, ...figures }) => ({ ...figures, at: at.toISOString() })) };
}

type RefusalStats = z.input<typeof request.response>;
const dayMs = 86_400_000;

/** How many messages of a tenant weren't heard today and on the days (UTC) before, `days` in all; none is left out. */
export async function countRefusals(
  database: Database,
  { tenantId, days }: z.output<typeof request.request>,
): Promise<RefusalStats> {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const moments = Array.from({ length: days }, (_, index) => today - (days - 1 - index) * dayMs);
  const rows = await withTenant(database, [tenantId], (tx) =>
    countRefusalsSince(tx, tenantId, new Date(moments[0]!)),
  );
  const sum = (isMeant: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(isMeant).reduce((total, { count }) => total + count, 0);
  const byReason = Refusal.options.map((reason) => [reason, sum(({ refusal }) => refusal === reason)]);
  return {
    byReason: Object.fromEntries(byReason) as RefusalStats['byReason'],
    byDay: moments.map((moment) => {
      const day = new Date(moment).toISOString().slice(0, 10);
      return { day, refused: sum((row) => row.day === day) };
    }),
  };
}
