import type { PageRequest } from '@botyard/contracts/http/page';
import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { getLiveRun } from '../store/runs.ts';
import { type EdgeChange, type PolicyChange, planEdges, planPolicies } from './plan.ts';

export type PlannedChange = EdgeChange | PolicyChange;

/** A change's place in the preview. */
export const placeOf = (change: PlannedChange): string =>
  `${change.kind}:${change.tenantId}:${change.kind === 'edge' ? change.userId : change.number}`;

/** The changes that executing would make now, edges first; one more than the page's limit. */
export async function previewMigration(
  { database }: Pick<Deps, 'database'>,
  { limit, before }: PageRequest,
): Promise<PlannedChange[]> {
  const [kind, tenantId = '', item = ''] = before?.split(':') ?? [];
  const place = before ? { tenantId, item } : undefined;
  return await withPlatform(database, 'preview of the migration', async (tx) => {
    const isPastEdges = kind === 'policy';
    const edges = isPastEdges ? [] : await planEdges(tx, { before: place, limit: limit + 1 });
    const room = limit + 1 - edges.length;
    if (room === 0) return edges;
    const run = await getLiveRun(tx);
    const part = { before: isPastEdges ? place : undefined, limit: room };
    return [...edges, ...(await planPolicies(tx, run?.migrationId ?? null, part))];
  });
}
