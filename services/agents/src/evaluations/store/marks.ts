import type { Mark } from '@botyard/contracts/http/evaluations-judge';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { translated } from '@botyard/shared/db/rows';
import { notFound } from '@botyard/shared/http/errors';
import { evaluationMarks, evaluationResults, evaluationRuns } from '../../store/evaluations-schema.ts';
import type { ResultRow, RunRow } from './runs.ts';

export type MarkRow = typeof evaluationMarks.$inferSelect;
type ResultKey = Pick<ResultRow, 'tenantId' | 'runId' | 'caseId'>;

const ofResult = ({ tenantId, runId, caseId }: ResultKey) =>
  and(
    eq(evaluationMarks.tenantId, tenantId),
    eq(evaluationMarks.runId, runId),
    eq(evaluationMarks.caseId, caseId),
  );

/** The marks at the answers to a case. */
export const listMarks = (tx: TenantTx, key: ResultKey): Promise<MarkRow[]> =>
  tx.db.select().from(evaluationMarks).where(ofResult(key));

/** Replaces the mark that the answer has. @throws HttpError 404 when the result was deleted meanwhile. */
export async function saveMark(tx: TenantTx, row: Omit<MarkRow, 'createdAt'>): Promise<void> {
  const { tenantId, runId, caseId, side } = evaluationMarks;
  await translated(
    tx.db
      .insert(evaluationMarks)
      .values(row)
      .onConflictDoUpdate({ target: [tenantId, runId, caseId, side], set: { mark: row.mark } }),
    { evaluation_marks_of_result: (cause) => notFound('result', { cause }) },
  );
}

export async function deleteMark(tx: TenantTx, key: Pick<MarkRow, 'side'> & ResultKey): Promise<void> {
  await tx.db.delete(evaluationMarks).where(and(ofResult(key), eq(evaluationMarks.side, key.side)));
}

/** How many answers have this mark of a person, and this verdict of the judge. */
export interface MarkCount {
  mark: Mark;
  verdict: 'passed' | 'failed';
  answers: number;
}

/** The marks in all runs of the set with the same judge, by what the judge said about the answers. */
export const countMarks = (
  tx: TenantTx,
  { tenantId, setId, judge }: Pick<RunRow, 'tenantId' | 'setId' | 'judge'>,
): Promise<MarkCount[]> => {
  const verdict = sql<MarkCount['verdict']>`case ${evaluationMarks.side}
    when 'candidate' then ${evaluationResults.judgement}
    else ${evaluationResults.baselineJudgement}
  end`;
  return tx.db
    .select({ mark: evaluationMarks.mark, verdict, answers: sql<number>`count(*)::int` })
    .from(evaluationMarks)
    .innerJoin(
      evaluationResults,
      and(
        eq(evaluationResults.tenantId, evaluationMarks.tenantId),
        eq(evaluationResults.runId, evaluationMarks.runId),
        eq(evaluationResults.caseId, evaluationMarks.caseId),
      ),
    )
    .innerJoin(
      evaluationRuns,
      and(
        eq(evaluationRuns.tenantId, evaluationMarks.tenantId),
        eq(evaluationRuns.runId, evaluationMarks.runId),
      ),
    )
    .where(
      and(
        eq(evaluationMarks.tenantId, tenantId),
        eq(evaluationRuns.setId, setId),
        sql`${evaluationRuns.judge} = ${JSON.stringify(judge)}::jsonb`,
        inArray(verdict, ['passed', 'failed']),
      ),
    )
    .groupBy(evaluationMarks.mark, sql`2`);
};
