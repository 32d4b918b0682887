import type { countHeldWork, sumSaid } from '@botyard/contracts/events/agents-requests';
import { type Database, withTenant } from '@botyard/shared/db/database';
import type { z } from 'zod';
import { countHeld, sumSaidBy } from '../store/activity.ts';

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
