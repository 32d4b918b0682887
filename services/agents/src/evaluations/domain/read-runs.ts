import type { Agreement, PassRate } from '@botyard/contracts/http/evaluations-judge';
import { type Page, type PageRequest, pageOfRows } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { RunSide } from '../../store/evaluations-schema.ts';
import type { Deps } from '../deps.ts';
import { countMarks } from '../store/marks.ts';
import { countResults, getRun, listRuns, type RunCounts, type RunKey, type RunRow } from '../store/runs.ts';
import { agreementOf, passRateOf } from './judge/pass-rate.ts';

type CasesInNumbers = Pick<RunCounts, 'passed' | 'failed' | 'undecided' | 'better' | 'worse' | 'same'>;

type CountedRun = Omit<RunRow, 'candidate' | 'baseline'> &
  CasesInNumbers & {
    candidate: ShownSide;
    baseline: ShownSide | null;
    passRate: PassRate | null;
    baselinePassRate: PassRate | null;
  };
type ShownRun = CountedRun & { costMicroUsd: number | null };
type ShownSide = Pick<RunSide, 'version' | 'isDraft'>;

const sideOf = ({ version, isDraft }: RunSide): ShownSide => ({ version, isDraft });

type ReadDeps = Pick<Deps, 'database' | 'usage' | 'log'>;

/** Runs of the tenant or of a set, newest first, with their results in numbers and their costs. */
export async function readRuns(
  deps: ReadDeps,
  { tenantId, setId }: { tenantId: string; setId: string | undefined },
  page: PageRequest,
): Promise<Page<ShownRun>> {
  const rows = await withTenant(deps.database, [tenantId], async (tx) =>
    withCounts(tx, tenantId, await listRuns(tx, { tenantId, setId }, page)),
  );
  const { items, ...rest } = pageOfRows(rows, page, ({ runId }) => runId);
  return { ...rest, items: await withCosts(deps, tenantId, items) };
}

/** A run, with the agreement of its judge and people. @throws HttpError 404. */
export async function readRun(
  deps: ReadDeps,
  key: RunKey,
): Promise<ShownRun & { agreement: Agreement | null }> {
  const { runs, agreement } = await withTenant(deps.database, [key.tenantId], async (tx) => {
    const run = found(await getRun(tx, key), 'run');
    return {
      runs: await withCounts(tx, key.tenantId, [run]),
      agreement: run.judge && agreementOf(await countMarks(tx, run)),
    };
  });
  const [run] = await withCosts(deps, key.tenantId, runs);
  return { ...run!, agreement };
}

async function withCounts(tx: TenantTx, tenantId: string, runs: readonly RunRow[]): Promise<CountedRun[]> {
  const runIds = runs.map(({ runId }) => runId);
  const countsOf = await countResults(tx, tenantId, runIds);
  return runs.map((run) => {
    const counts = countsOf(run.runId);
    const { judgePassed, judgeVerdicts, baselineJudgePassed, baselineJudgeVerdicts, ...cases } = counts;
    return {
      ...run,
      ...cases,
      candidate: sideOf(run.candidate),
      baseline: run.baseline && sideOf(run.baseline),
      passRate: passRateOf(judgePassed, judgeVerdicts),
      baselinePassRate: passRateOf(baselineJudgePassed, baselineJudgeVerdicts),
    };
  });
}

async function withCosts(
  deps: Pick<Deps, 'usage' | 'log'>,
  tenantId: string,
  runs: readonly CountedRun[],
): Promise<ShownRun[]> {
  if (runs.length === 0) return [];
  const costs = await costsOf(
    deps,
    tenantId,
    runs.map(({ runId }) => runId),
  );
  return runs.map((run) => ({ ...run, costMicroUsd: costs.get(run.runId) ?? null }));
}

/** Empty if the usage service doesn't answer: runs are shown all the same. */
async function costsOf(
  { usage, log }: Pick<Deps, 'usage' | 'log'>,
  tenantId: string,
  runIds: string[],
): Promise<ReadonlyMap<string, number | null>> {
  try {
    const costs = await usage.costsOfRuns(tenantId, runIds);
    return new Map(costs.map(({ runId, costMicroUsd }) => [runId, costMicroUsd]));
  } catch (error) {
    log.warn({ err: error }, 'runs of tests are returned without their costs');
    return new Map();
  }
}
