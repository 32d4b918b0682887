import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, sql } from '@botyard/shared/db/drizzle';
import {
  evaluationCases as cases,
  evaluationResults as results,
  evaluationRuns as runs,
  evaluationSets as sets,
} from '../../store/evaluations-schema.ts';
import type { DefinitionKey } from './definitions.ts';

/** A test set without which an agent doesn't go live. */
export type RequiredSet = Pick<
  typeof sets.$inferSelect,
  'tenantId' | 'setId' | 'name' | 'documents' | 'judge'
>;

/** The required sets that have cases. */
export const listRequiredSets = (tx: TenantTx, { tenantId, id }: DefinitionKey): Promise<RequiredSet[]> =>
  tx.db
    .select({
      tenantId: sets.tenantId,
      setId: sets.setId,
      name: sets.name,
      documents: sets.documents,
      judge: sets.judge,
    })
    .from(sets)
    .where(
      and(
        eq(sets.tenantId, tenantId),
        eq(sets.agentId, id),
        eq(sets.required, true),
        sql`exists (select from ${cases}
                    where ${cases.tenantId} = ${sets.tenantId} and ${cases.setId} = ${sets.setId})`,
      ),
    )
    .orderBy(sets.setId);

interface FinishedRun {
  runId: string;
  /** The content with which the candidate was compared; `null` without one. */
  baselineHash: string | null;
}

/** The newest finished run of a set, as its settings and its judge are now, with a candidate of this content. */
export async function findFinishedRun(
  tx: TenantTx,
  { tenantId, setId, documents, judge }: RequiredSet,
  contentHash: string,
): Promise<FinishedRun | undefined> {
  const [run] = await tx.db
    .select({
      runId: runs.runId,
      baselineHash: sql<string | null>`${runs.baseline} ->> 'contentHash'`,
    })
    .from(runs)
    .where(
      and(
        eq(runs.tenantId, tenantId),
        eq(runs.setId, setId),
        eq(runs.state, 'done'),
        eq(runs.documents, documents),
        sql`${runs.judge} is not distinct from ${judge && JSON.stringify(judge)}::jsonb`,
        sql`${runs.candidate} ->> 'contentHash' = ${contentHash}`,
      ),
    )
    .orderBy(desc(runs.runId))
    .limit(1);
  return run;
}

/** A case without a result that lets the agent go live. */
export interface FailingCase {
  caseId: string;
  name: string;
  /** `null` without a comparison. */
  verdict: 'same' | 'better' | 'worse' | null;
  /** Whether the case is as it was in the run. */
  isCurrent: boolean;
  /** Whether only the verdict of the judge is missing. */
  isUndecided: boolean | null;
  fault: string | null;
}

/**
 * The set's cases that are not in a run as they are now, that did worse in it, or that failed without a comparison that
 * counts.
 */
export async function listFailingCases(
  tx: TenantTx,
  { tenantId, setId }: RequiredSet,
  { runId, isCompared, limit }: { runId: string; isCompared: boolean; limit: number },
): Promise<FailingCase[]> {
  const isCurrent = sql<boolean>`${results.caseUpdatedAt} is not distinct from ${cases.updatedAt}`;
  return await tx.db
    .select({
      caseId: cases.caseId,
      name: cases.name,
      verdict: results.verdict,
      isCurrent,
      isUndecided: results.isUndecided,
      fault: sql<string | null>`${results.candidate} #>> '{faults,0,message}'`,
    })
    .from(cases)
    .leftJoin(
      results,
      and(eq(results.tenantId, cases.tenantId), eq(results.runId, runId), eq(results.caseId, cases.caseId)),
    )
    .where(
      and(
        eq(cases.tenantId, tenantId),
        eq(cases.setId, setId),
        sql`(not (${isCurrent})
             or ${results.verdict} = 'worse'
             or (not ${results.passed} and (${results.verdict} is null or not ${isCompared}::boolean)))`,
      ),
    )
    .orderBy(cases.caseId)
    .limit(limit);
}
