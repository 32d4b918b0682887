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
 * than live, or fails where there is nothing to compare it with. @throws CliError, ApiError.
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
    write(summaryOf(run));
  }
  if (junit !== undefined) await writeFile(junit, junitOf(suites));
  return suites.some(({ cases }) => cases.some(({ faults }) => faults.length > 0)) ? 1 : 0;
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
    const faults = isRegression(result) ? candidate.faults.map(({ message }) => message) : [];
    const words = [result.passed ? 'passed' : 'failed', ...(result.verdict ? [result.verdict] : [])];
    write(`  ${words.join(', ').padEnd(16)}  ${result.name}\n`);
    for (const { message } of candidate.faults) write(`  ${' '.repeat(18)}${message}\n`);
    cases.push({ name: result.name, seconds: candidate.durationMs / 1000, faults });
  }
  return cases;
}

const isRegression = ({ passed, verdict }: Result): boolean =>
  verdict === null ? !passed : verdict === 'worse';

const summaryOf = ({ passed, failed, better, worse, baseline }: Run): string =>
  `  ${passed} passed, ${failed} failed${baseline ? `; ${better} better and ${worse} worse than version ${baseline.version}` : ''}\n`;
