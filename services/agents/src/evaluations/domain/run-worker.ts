import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { LeasedQueue, LeaseLost, QueueStopped } from '@botyard/shared/work/leased-queue/leased-queue';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import { GivenUp } from '../../models/domain/given-up.ts';
import type { Deps } from '../deps.ts';
import { type CaseRow, holdCase } from '../store/cases.ts';
import { insertResult, listOpenCases, lockRun, type RunRow, runQueue, updateRun } from '../store/runs.ts';
import { answerCase, isUndecided, verdictOf } from './answer-case.ts';
import { announce } from './progress.ts';
import { RunFailure } from './retry.ts';
import { agentOfSide } from './sides.ts';

/** Cases of a run that are answered at the same time. */
const casesAtOnce = 4;
/** Claims without any result between them. */
const maxAttempts = 8;
const retryMs = 2000;
const announceEveryMs = 1000;

/** The worker of runs: one of a tenant at a time, and two of different tenants in a process. */
export function createEvaluationWorker(deps: Deps): LeasedQueue<RunRow> {
  const queue: LeasedQueue<RunRow> = new LeasedQueue(deps, {
    name: 'test runs',
    table: runQueue,
    slots: 1,
    share: 1,
    run: async (run, { signal }) => {
      const waitMs = await continueRun(deps, run, signal);
      if (waitMs !== undefined) queue.wake(waitMs);
    },
  });
  return queue;
}

/** Returns the milliseconds until the next attempt, if there is one. */
async function continueRun(deps: Deps, run: RunRow, signal: AbortSignal): Promise<number | undefined> {
  // A stopped run's model calls are abandoned like those of a person who has left: they are counted.
  const stop = new AbortController();
  const abandon = () => stop.abort(new GivenUp('the run was stopped'));
  if (signal.aborted) abandon();
  else signal.addEventListener('abort', abandon, { once: true });
  try {
    await answerCases(deps, run, stop.signal);
    await endRun(deps, run, { state: 'done', lastError: null });
    return undefined;
  } catch (error) {
    return await endAttempt(deps, run, { error, reason: signal.aborted ? signal.reason : undefined });
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

async function endAttempt(
  deps: Deps,
  run: RunRow,
  { error, reason }: { error: unknown; reason: unknown },
): Promise<number | undefined> {
  if (error instanceof LeaseLost || reason instanceof LeaseLost) return undefined;
  if (error instanceof RunFailure) {
    await endRun(deps, run, { state: 'failed', lastError: error.message });
    return undefined;
  }
  if (!(reason instanceof QueueStopped)) {
    deps.log.warn({ err: error, runId: run.runId }, 'a test run was interrupted');
    if (run.attempts >= maxAttempts) {
      await endRun(deps, run, { state: 'failed', lastError: textOf(error) });
      return undefined;
    }
  }
  const waitMs = reason instanceof QueueStopped ? 0 : retryMs * run.attempts;
  await unlessLost(
    inRun(deps, run, (tx) =>
      updateRun(tx, run, { leaseUntil: null, readyAt: new Date(Date.now() + waitMs) }),
    ),
  );
  return waitMs;
}

/** Only texts that are written for admins. */
const textOf = (error: unknown): string =>
  error instanceof HttpError && error.status === 503
    ? 'a service that the run needs does not answer: run it again'
    : 'an internal error: look for this runId in the log';

type Agents = { candidate: AgentAtWork; baseline: AgentAtWork | null };

async function answerCases(deps: Deps, run: RunRow, signal: AbortSignal): Promise<void> {
  const agents = await withTenant(deps.database, [run.tenantId], (tx) => readAgents(tx, run));
  let announcedAt = performance.now();
  // Cases up to this one have their results, so that a large set isn't read from its beginning for every batch.
  let after: string | undefined;
  for (;;) {
    const tests = await withTenant(deps.database, [run.tenantId], (tx) =>
      listOpenCases(tx, run, { after, limit: casesAtOnce }),
    );
    if (tests.length === 0) return;
    const ends = await Promise.allSettled(tests.map((test) => runCase(deps, run, { agents, test, signal })));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    signal.throwIfAborted();
    after = tests.at(-1)?.caseId;
    if (performance.now() - announcedAt < announceEveryMs) continue;
    announcedAt = performance.now();
    await inRun(deps, run, (tx, current) => announce(deps, tx, current));
  }
}

async function readAgents(tx: TenantTx, run: RunRow): Promise<Agents> {
  const key = { tenantId: run.tenantId, id: run.agentId };
  const candidate = await agentOfSide(tx, key, run.candidate);
  return { candidate, baseline: run.baseline && (await agentOfSide(tx, key, run.baseline)) };
}

async function runCase(
  deps: Deps,
  run: RunRow,
  { agents, test, signal }: { agents: Agents; test: CaseRow; signal: AbortSignal },
): Promise<void> {
  const candidate = await answerCase(deps, { run, agent: agents.candidate, test, signal });
  const baseline = agents.baseline && (await answerCase(deps, { run, agent: agents.baseline, test, signal }));
  await failpoint('agents.evaluation.answered');
  const { tenantId, runId } = run;
  const { caseId } = test;
  await withTenant(deps.database, [tenantId], async (tx) => {
    // A case that was deleted meanwhile, such as by an erasure, keeps no answer. The case is locked before the run, in
    // the order in which a set is deleted.
    if (!(await holdCase(tx, { tenantId, caseId }))) return;
    const current = await requireOwnRun(tx, run);
    const verdict = baseline && verdictOf(candidate, baseline);
    const row = {
      tenantId,
      runId,
      caseId,
      verdict,
      passed: candidate.passed,
      isUndecided: isUndecided(candidate),
      baselinePassed: baseline && !isUndecided(baseline) ? baseline.passed : null,
      judgement: candidate.judgement?.verdict ?? null,
      baselineJudgement: baseline?.judgement?.verdict ?? null,
      caseUpdatedAt: test.updatedAt,
      candidate,
      baseline,
    };
    if (await insertResult(tx, row)) await updateRun(tx, run, { done: current.done + 1, attempts: 0 });
  });
}

/** Locks a run that this worker still has. @throws LeaseLost when it was stopped or another worker has it. */
async function requireOwnRun(tx: TenantTx, run: RunRow): Promise<RunRow> {
  const current = await lockRun(tx, run);
  if (current?.fence !== run.fence || current.state !== 'running') throw new LeaseLost();
  return current;
}

/** Writes for a run that this worker still has. @throws LeaseLost as `requireOwnRun`. */
async function inRun<Result>(
  { database }: Pick<Deps, 'database'>,
  run: RunRow,
  write: (tx: TenantTx, current: RunRow) => Promise<Result>,
): Promise<Result> {
  return await withTenant(database, [run.tenantId], async (tx) => write(tx, await requireOwnRun(tx, run)));
}

async function endRun(
  deps: Deps,
  run: RunRow,
  end: { state: 'done' | 'failed'; lastError: string | null },
): Promise<void> {
  const ending = inRun(deps, run, async (tx, current) => {
    const done = end.state === 'done' ? current.total : current.done;
    const change = { ...end, done, finishedAt: new Date(), readyAt: null, leaseUntil: null };
    const ended = await updateRun(tx, run, change);
    if (ended) await announce(deps, tx, ended);
  });
  await unlessLost(ending);
}

/** A run that was stopped or deleted needs no end. */
async function unlessLost(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  }
}
