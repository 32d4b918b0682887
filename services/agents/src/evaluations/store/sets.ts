import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, count, eq, inArray } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { evaluationCases, evaluationSets } from '../../store/evaluations-schema.ts';

type SetRow = typeof evaluationSets.$inferSelect;
export type SetKey = Pick<SetRow, 'tenantId' | 'setId'>;
export type CountedSet = SetRow & { cases: number };

const stored = rowsOf(evaluationSets, 'tenantId', 'setId');
export const { get: getSet, lock: lockSet, update: updateSet, remove: deleteSet, count: countSets } = stored;

export const insertSet = async (
  tx: TenantTx,
  row: Omit<SetRow, 'createdAt' | 'updatedAt'>,
): Promise<SetRow> => (await tx.db.insert(evaluationSets).values(row).returning())[0]!;

/** Newest first, one more than the page's limit. */
export const listSets = async (tx: TenantTx, tenantId: string, page: PageRequest): Promise<CountedSet[]> =>
  await withCounts(tx, tenantId, await stored.list(tx, { tenantId }, page));

/** The sets with the numbers of their cases. */
export async function withCounts(
  tx: TenantTx,
  tenantId: string,
  sets: readonly SetRow[],
): Promise<CountedSet[]> {
  const { setId } = evaluationCases;
  const ids = sets.map((set) => set.setId);
  const counts = await tx.db
    .select({ setId, cases: count() })
    .from(evaluationCases)
    .where(and(eq(evaluationCases.tenantId, tenantId), inArray(setId, ids)))
    .groupBy(setId);
  const casesOf = new Map(counts.map((row) => [row.setId, row.cases]));
  return sets.map((set) => ({ ...set, cases: casesOf.get(set.setId) ?? 0 }));
}
