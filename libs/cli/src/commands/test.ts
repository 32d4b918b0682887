import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '@botyard/client/api-error';
import type { Client, Schema } from '@botyard/client/client';
import { CliError } from '../cli-error.ts';
import { all } from '../kinds/kind.ts';
import { junitOf, type Suite } from '../output/junit.ts';

type Run = Schema<'EvaluationRun'>;
type Result = Schema<'ListedEvaluationResult'>;

export interface TestOptions {
  /** The names of the sets to run; none: all of them. */
  sets: readonly string[];
  /** Tests the agent's draft in place of its live version, if it has one. */
  isDraft: boolean;
  /** The file for the report in JUnit's form. */
  junit?: string | undefined;
  write: (text: string) => void;
}

const everyMs = 1000;

/**
 * Runs the tenant's test sets one after the other, and prints each case. Returns the exit code: 1 if a case is worse
 * than live, fails where there is nothing to compare it with, or has no verdict of the judge. @throws CliError,
 * ApiError.
 */
export async function test(
  api: Client,
  { sets: names, isDraft, junit, write }: TestOptions,
): Promise<number> {
  const sets = (await all(api.list('/api/evaluations/sets'))).filter(
    ({ name }) => names.length === 0 || names.includes(name),
  );
  const missing = names.find((name) => sets.every((set) => set.name !== name));
  if (missing !== undefined) throw new CliError(`there is no test set "${missing}"`);
  if (sets.length === 0) throw new CliError('there are no test sets: push a folder that has some');
  const suites: Suite[] = [];
  for (const set of sets.toReversed()) {
    write(`${set.name}\n`);
    const run = await runSet(api, set, isDraft && (await hasDraft(api, set.agentId)));
    const suite = await suiteOf(api, run, write);
    suites.push({ name: set.name, cases: suite });
    write(summaryOf({ ...run, costMicroUsd: await costOf(api, run) }));
  }
  if (junit !== undefined) await writeFile(junit, junitOf(suites));
  const isBad = ({ faults, undecided }: Suite['cases'][number]) =>
    faults.length > 0 || undecided !== undefined;
  return suites.some(({ cases }) => cases.some(isBad)) ? 1 : 0;
}

const hasDraft = async (api: Client, id: string): Promise<boolean> =>
  (await api.get('/api/definitions/agents/{id}', { params: { path: { id } } })).hasDraft;

async function runSet(
  api: Client,
  { setId, name }: Pick<Schema<'EvaluationSet'>, 'setId' | 'name'>,
  isDraft: boolean,
): Promise<Run> {
  const body = { setId, ...(isDraft ? { draft: true as const } : {}) };
  const { runId } = await api.post('/api/evaluations/runs', { body }).catch((error: unknown) => {
    throw error instanceof ApiError ? new CliError(`${name} can't be run: ${error.message}`) : error;
  });
  for (;;) {
    const run = await api.get('/api/evaluations/runs/{runId}', { params: { path: { runId } } });
    if (run.state !== 'queued' && run.state !== 'running') {
      if (run.state === 'done') return run;
      throw new CliError(`the run of ${name} is ${run.state}${run.lastError ? `: ${run.lastError}` : ''}`);
    }
    await pause(everyMs);
  }
}

/** The use of the last answers is counted a moment after the run. */
async function costOf(api: Client, { runId }: Run): Promise<number | null> {
  const params = { path: { runId } };
  const read = async () => (await api.get('/api/evaluations/runs/{runId}', { params })).costMicroUsd;
  for (let cost = await read(); ; ) {
    await pause(everyMs);
    const next = await read();
    if (next === cost) return cost;
    cost = next;
  }
}

async function suiteOf(api: Client, run: Run, write: TestOptions['write']): Promise<Suite['cases']> {
  const { runId } = run;
  const params = { path: { runId } };
  const results = (await all(api.list('/api/evaluations/runs/{runId}/results', { params }))).toReversed();
  const cases: Suite['cases'][number][] = [];
  for (const result of results) {
    const path = { runId, caseId: result.caseId };
    const { candidate } = await api.get('/api/evaluations/runs/{runId}/results/{caseId}', {
      params: { path },
    });
    const messages = candidate.faults.map(({ message }) => message);
    const faults = isRegression(result) ? messages : [];
    const undecided = result.isUndecided ? withoutVerdict(candidate) : undefined;
    const words = [stateOf(result), ...(result.verdict ? [result.verdict] : [])];
    write(`  ${words.join(', ').padEnd(16)}  ${result.name}\n`);
    for (const message of [...messages, ...(undecided === undefined ? [] : [undecided])])
      write(`  ${' '.repeat(18)}${message}\n`);
    cases.push({ name: result.name, seconds: candidate.durationMs / 1000, faults, undecided });
  }
  return cases;
}

const isRegression = ({ passed, isUndecided, verdict }: Result): boolean =>
  verdict === null ? !passed && !isUndecided : verdict === 'worse';

function stateOf({ passed, isUndecided }: Result): string {
  if (isUndecided) return 'no verdict';
  return passed ? 'passed' : 'failed';
}

type CaseAnswer = Schema<'EvaluationResult'>['candidate'];

function withoutVerdict({ judgement }: CaseAnswer): string {
  const missing = judgement?.repeats.filter(({ verdict }) => verdict === 'none') ?? [];
  const count = `${missing.length} of ${judgement?.repeats.length ?? 0} times`;
  return `the judge gave no verdict, ${count}: ${missing[0]?.reason ?? ''}`;
}

function summaryOf(run: Run): string {
  const { passed, failed, undecided, better, worse, baseline, judge, passRate, costMicroUsd } = run;
  const missing = undecided > 0 ? `, ${undecided} without a verdict of the judge` : '';
  const compared = baseline ? `; ${better} better and ${worse} worse than version ${baseline.version}` : '';
  const judged = judge && passRate ? `; ${rateInWords(passRate)}` : '';
  const cost = costMicroUsd === null ? '' : `; it cost ${dollars(costMicroUsd)}`;
  return `  ${passed} passed, ${failed} failed${missing}${compared}${judged}${cost}\n`;
}

/** The smallest cost, in millionths of a dollar, that four decimals can show. */
const smallestShown = 100;

const dollars = (microUsd: number): string =>
  microUsd > 0 && microUsd < smallestShown ? 'under $0.0001' : `$${(microUsd / 1e6).toFixed(4)}`;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const rateInWords = ({ passed, verdicts, low, high }: NonNullable<Run['passRate']>): string =>
  `the judge passed ${passed} of ${verdicts}, ${percent(passed / verdicts)} (95 % interval ${percent(low)} to ${percent(high)})`;
