import { maxRunsKept, type Verdict } from '@botyard/contracts/http/evaluations-runs';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, desc, eq, getTableColumns, gt, inArray, lt, lte, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { columns } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import {
  evaluationCases,
  evaluationMarks,
  evaluationResults,
  evaluationRuns,
} from '../../store/evaluations-schema.ts';
import type { CaseRow } from './cases.ts';

export type RunRow = typeof evaluationRuns.$inferSelect;
export type RunKey = Pick<RunRow, 'tenantId' | 'runId'>;
type NewRun = typeof evaluationRuns.$inferInsert;

const stored = rowsOf(evaluationRuns, 'tenantId', 'runId');
export const { get: getRun, lock: lockRun, update: updateRun } = stored;

/** Newest first, one more than the page's limit. */
export const listRuns = (
  tx: TenantTx,
  { tenantId, setId }: Pick<RunRow, 'tenantId'> & { setId: string | undefined },
  page: PageRequest,
) => stored.list(tx, { tenantId, setId }, page);

/** Deletes the set's oldest runs beyond the limit. @throws HttpError 409 while another run of the tenant goes on. */
export async function insertRun(tx: TenantTx, row: NewRun): Promise<RunRow> {
  const [run] = await translated(tx.db.insert(evaluationRuns).values(row).returning(), {
    evaluation_runs_one_of_tenant: (cause) =>
      conflict('another run of this tenant goes on: wait until it is done, or stop it', { cause }),
  });
  await tx.query({
    name: 'agents.evaluation_runs.prune',
    text: `delete from agents.evaluation_runs
           where tenant_id = $1 and set_id = $2 and run_id in (
             select run_id from agents.evaluation_runs
             where tenant_id = $1 and set_id = $2
             order by run_id desc
             offset $3)`,
    values: [row.tenantId, row.setId, maxRunsKept],
  });
  return run!;
}

/** The set's latest case and the number of its cases. */
export async function countCasesOfSet(
  tx: TenantTx,
  { tenantId, setId }: Pick<CaseRow, 'tenantId' | 'setId'>,
): Promise<{ total: number; lastCaseId: string | null }> {
  const [row] = await tx.db
    .select({
      total: sql<number>`count(*)::int`,
      lastCaseId: sql<
        string | null
      >`(array_agg(${evaluationCases.caseId} order by ${evaluationCases.caseId} desc))[1]`,
    })
    .from(evaluationCases)
    .where(and(eq(evaluationCases.tenantId, tenantId), eq(evaluationCases.setId, setId)));
  return row!;
}

/** Cases that are looked through at a time. */
const lookedThrough = 500;

/**
 * The next cases that have no result; none when all have one. Looks through the set in steps, because Postgres may
 * compare every case with every result while it has no statistics of a new run.
 */
export async function listOpenCases(
  tx: TenantTx,
  run: RunRow,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<CaseRow[]> {
  const { tenantId, caseId, setId } = evaluationCases;
  const ofTenant = eq(tenantId, run.tenantId);
  for (let from = after; ; ) {
    const ids = await tx.db
      .select({ caseId })
      .from(evaluationCases)
      .where(
        and(
          ofTenant,
          eq(setId, run.setId),
          lte(caseId, run.lastCaseId),
          from === undefined ? undefined : gt(caseId, from),
        ),
      )
      .orderBy(caseId)
      .limit(lookedThrough);
    const last = ids.at(-1);
    if (!last) return [];
    const finished = await listFinished(tx, run, ids);
    const open = ids.filter((one) => !finished.has(one.caseId)).slice(0, limit);
    const cases = await tx.db
      .select()
      .from(evaluationCases)
      .where(and(ofTenant, inArray(caseId, idsOf(open))))
      .orderBy(caseId);
    if (cases.length > 0) return cases;
    // Open cases may have been deleted since the look.
    from = (open.at(-1) ?? last).caseId;
  }
}

type CaseId = Pick<CaseRow, 'caseId'>;
const idsOf = (cases: readonly CaseId[]): string[] => cases.map(({ caseId }) => caseId);

/** Those of these cases that have a result. */
async function listFinished(tx: TenantTx, run: RunRow, cases: readonly CaseId[]): Promise<Set<string>> {
  const { tenantId, runId, caseId } = evaluationResults;
  const rows = await tx.db
    .select({ caseId })
    .from(evaluationResults)
    .where(and(eq(tenantId, run.tenantId), eq(runId, run.runId), inArray(caseId, idsOf(cases))));
  return new Set(idsOf(rows));
}

export type ResultRow = typeof evaluationResults.$inferSelect;
const results = rowsOf(evaluationResults, 'tenantId', 'runId', 'caseId');
export const getResult = results.get;

/** Returns `false` when the case has a result. */
export async function insertResult(tx: TenantTx, row: Omit<ResultRow, 'createdAt'>): Promise<boolean> {
  const { caseId } = evaluationResults;
  const inserted = await tx.db
    .insert(evaluationResults)
    .values(row)
    .onConflictDoNothing()
    .returning({ caseId });
  return inserted.length > 0;
}

/** Without the answers. Newest case first, one more than the page's limit. */
export const listResults = (
  tx: TenantTx,
  { tenantId, runId }: RunKey,
  { limit, before, verdict }: PageRequest & { verdict?: Verdict | undefined },
) =>
  tx.db
    .select({
      caseId: evaluationResults.caseId,
      name: evaluationCases.name,
      verdict: evaluationResults.verdict,
      passed: evaluationResults.passed,
      isUndecided: evaluationResults.isUndecided,
      baselinePassed: evaluationResults.baselinePassed,
      marks: sql<number>`(select count(*)::int from ${evaluationMarks}
        where ${evaluationMarks.tenantId} = ${evaluationResults.tenantId}
          and ${evaluationMarks.runId} = ${evaluationResults.runId}
          and ${evaluationMarks.caseId} = ${evaluationResults.caseId})`,
    })
    .from(evaluationResults)
    .innerJoin(
      evaluationCases,
      and(
        eq(evaluationCases.tenantId, evaluationResults.tenantId),
        eq(evaluationCases.caseId, evaluationResults.caseId),
      ),
    )
    .where(
      and(
        eq(evaluationResults.tenantId, tenantId),
        eq(evaluationResults.runId, runId),
        verdict ? eq(evaluationResults.verdict, verdict) : undefined,
        before ? lt(evaluationResults.caseId, before) : undefined,
      ),
    )
    .orderBy(desc(evaluationResults.caseId))
    .limit(limit + 1);

const countWhere = (condition: string) => sql<number>`(count(*) filter (where ${sql.raw(condition)}))::int`;

/** The `judge…` columns count answers of a side that passed the judge, and those with its verdict. */
const counted = {
  passed: countWhere('passed'),
  failed: countWhere('not passed and not is_undecided'),
  undecided: countWhere('is_undecided'),
  better: countWhere("verdict = 'better'"),
  worse: countWhere("verdict = 'worse'"),
  same: countWhere("verdict = 'same'"),
  judgePassed: countWhere("judgement = 'passed'"),
  judgeVerdicts: countWhere("judgement <> 'none'"),
  baselineJudgePassed: countWhere("baseline_judgement = 'passed'"),
  baselineJudgeVerdicts: countWhere("baseline_judgement <> 'none'"),
};
export type RunCounts = Record<keyof typeof counted, number>;

const nothingCounted = Object.fromEntries(Object.keys(counted).map((name) => [name, 0])) as RunCounts;

/** Returns a function that says the results of a run in numbers. */
export async function countResults(
  tx: TenantTx,
  tenantId: string,
  runIds: readonly string[],
): Promise<(runId: string) => RunCounts> {
  if (runIds.length === 0) return () => nothingCounted;
  const { runId: ofRun } = evaluationResults;
  const rows = await tx.db
    .select({ runId: ofRun, ...counted })
    .from(evaluationResults)
    .where(and(eq(evaluationResults.tenantId, tenantId), inArray(ofRun, [...runIds])))
    .groupBy(ofRun);
  const countsOfRuns = new Map(rows.map(({ runId, ...counts }) => [runId, counts]));
  return (runId) => countsOfRuns.get(runId) ?? nothingCounted;
}

export const runQueue: QueueTable<RunRow> = {
  table: 'agents.evaluation_runs',
  key: ['tenantId', 'runId'],
  columns: columns(getTableColumns(alias(evaluationRuns, 'q'))),
  isOfQueue: "q.state in ('queued', 'running')",
  leaseSeconds: 30,
  fence: 'fence',
  set: "state = 'running', attempts = q.attempts + 1",
};
