import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq } from '@botyard/shared/db/drizzle';
import { count, oneOf } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { translated } from '@botyard/shared/db/rows';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { notFound } from '@botyard/shared/http/errors';
import { evaluationMarks } from '../../store/evaluations-schema.ts';
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

const counted = columns({
  mark: alias(evaluationMarks, 'm').mark,
  verdict: oneOf(['passed', 'failed'], 'answer.verdict'),
  answers: count(),
});
/** How many answers have this mark of a person, and this verdict of the judge. */
export type MarkCount = RowOf<typeof counted>;

/** The marks in all runs of the set with the same judge, by what the judge said about the answers. */
export const countMarks = preparedStatement({
  name: 'agents.evaluations.count_marks',
  text: typedSql`
    select ${counted}
    from agents.evaluation_runs run
    join agents.evaluation_marks m using (tenant_id, run_id)
    join agents.evaluation_results result using (tenant_id, run_id, case_id)
    cross join lateral (
      select case m.side when 'candidate' then result.judgement else result.baseline_judgement end as verdict
    ) answer
    where tenant_id = $tenantId
      and run.set_id = $setId
      and run.judge = $judge::jsonb
      and answer.verdict in ('passed', 'failed')
    group by m.mark, answer.verdict`,
  values: ({ tenantId, setId, judge }: Pick<RunRow, 'tenantId' | 'setId' | 'judge'>) => ({
    tenantId,
    setId,
    judge: JSON.stringify(judge),
  }),
});
