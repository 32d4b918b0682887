import type { Judgement, Mark, MarkBody } from '@botyard/contracts/http/evaluations-judge';
import type { CaseAnswer } from '@botyard/contracts/http/evaluations-runs';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import type { StoredAnswer, StoredJudgement } from '../../store/evaluations-schema.ts';
import type { Deps } from '../deps.ts';
import { deleteMark, listMarks, type MarkRow, saveMark } from '../store/marks.ts';
import { getResult, getRun, type ResultRow, type RunKey } from '../store/runs.ts';
import { passRateOfRepeats } from './judge/pass-rate.ts';

type ResultKey = RunKey & Pick<ResultRow, 'caseId'>;
type Side = MarkRow['side'];

type ShownResult = Pick<ResultRow, 'caseId' | 'verdict' | 'createdAt'> & {
  candidate: CaseAnswer;
  baseline: CaseAnswer | null;
};

/** The answers to a case, with their costs as far as they are counted. @throws HttpError 404, 503. */
export async function readResult(
  deps: Pick<Deps, 'database' | 'usage'>,
  key: ResultKey,
): Promise<ShownResult> {
  const { row, marks } = await withTenant(deps.database, [key.tenantId], async (tx) => ({
    row: found(await getResult(tx, key), 'result'),
    marks: await listMarks(tx, key),
  }));
  const { caseId, verdict, createdAt, candidate, baseline } = row;
  const turnIds = [candidate, ...(baseline ? [baseline] : [])].flatMap(turnsOf);
  const costs = new Map(
    (await deps.usage.costsOf(key.tenantId, turnIds)).map((turn) => [turn.turnId, turn.costMicroUsd]),
  );
  const markOf = (side: Side): Mark | null => marks.find((row) => row.side === side)?.mark ?? null;
  return {
    caseId,
    verdict,
    createdAt,
    candidate: toAnswer(candidate, costs, markOf('candidate')),
    baseline: baseline && toAnswer(baseline, costs, markOf('baseline')),
  };
}

const turnsOf = ({ turnId, judgement }: StoredAnswer): string[] => [turnId, ...(judgement?.turnIds ?? [])];

type Costs = ReadonlyMap<string, number | null>;

const toAnswer = (
  { turnId, judgement, ...answer }: StoredAnswer,
  costs: Costs,
  mark: Mark | null,
): CaseAnswer => ({
  ...answer,
  costMicroUsd: costs.get(turnId) ?? null,
  judgement: judgement ? toJudgement(judgement, costs) : null,
  mark,
});

const toJudgement = ({ turnIds, ...judgement }: StoredJudgement, costs: Costs): Judgement => ({
  ...judgement,
  passRate: passRateOfRepeats(judgement.repeats),
  costMicroUsd: turnIds.reduce<number | null>((sum, turnId) => {
    const cost = costs.get(turnId) ?? null;
    return sum === null || cost === null ? null : sum + cost;
  }, 0),
});

/** Sets or removes the mark at an answer. @throws HttpError 404, 409 without a judge or without words. */
export async function markAnswer(
  { database }: Pick<Deps, 'database'>,
  key: ResultKey,
  { side, mark }: MarkBody,
): Promise<void> {
  await withTenant(database, [key.tenantId], async (tx) => {
    await requireWords(tx, key, side);
    if (mark === null) await deleteMark(tx, { ...key, side });
    else await saveMark(tx, { ...key, side, mark });
  });
}

async function requireWords(tx: TenantTx, key: ResultKey, side: Side): Promise<void> {
  const run = found(await getRun(tx, key), 'run');
  const result = found(await getResult(tx, key), 'result');
  if (!run.judge) throw conflict('the run has no judge, so there is no rubric to mark answers by');
  if (!result[side]?.text) throw conflict(`the ${side} has no words to mark`);
}
