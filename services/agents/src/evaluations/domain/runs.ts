import type { RunBody } from '@botyard/contracts/http/evaluations-runs';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { RunSide } from '../../store/evaluations-schema.ts';
import { faultOf } from '../../trials/domain/faults.ts';
import type { Deps } from '../deps.ts';
import { countCasesOfSet, insertRun, lockRun, type RunKey, type RunRow, updateRun } from '../store/runs.ts';
import { getSet } from '../store/sets.ts';
import { faultOfJudge } from './judge/judge-answer.ts';
import { announce } from './progress.ts';
import { readSides } from './sides.ts';

interface NewRun {
  tenantId: string;
  userId: string;
  body: RunBody;
}

/**
 * Creates a run, which goes on in the background. @throws HttpError 404 for the set, a version or a draft, 409 while
 * another run of the tenant goes on, 422 without a case or a key.
 */
export async function createRun(deps: Deps, { tenantId, userId, body }: NewRun): Promise<RunRow> {
  const { setId, ...wantedSides } = body;
  const run = await withTenant(deps.database, [tenantId], async (tx) => {
    const set = found(await getSet(tx, { tenantId, setId }), 'set');
    const { agentId, documents, mayUsePlatformKey, judge } = set;
    const { candidate, baseline } = await readSides(tx, { tenantId, id: agentId }, wantedSides);
    const { total, lastCaseId } = await countCasesOfSet(tx, set);
    if (lastCaseId === null) throw unprocessable('the set has no cases: add one first');
    return {
      tenantId,
      runId: uuidv7(),
      setId,
      agentId,
      state: 'queued' as const,
      documents,
      mayUsePlatformKey,
      judge,
      candidate,
      candidateVersion: candidate.version,
      baseline,
      baselineVersion: baseline?.version ?? null,
      lastCaseId,
      total,
      createdBy: userId,
    };
  });
  for (const side of [run.candidate, run.baseline])
    if (side) await requireKey(deps, run, side.content, faultOf('no key'));
  if (run.judge) await requireKey(deps, run, run.judge, faultOfJudge('no key'));
  const created = await withTenant(deps.database, [tenantId], async (tx) => {
    const row = await insertRun(tx, run);
    await announce(deps, tx, row);
    return row;
  });
  deps.wakeEvaluations();
  return created;
}

async function requireKey(
  { keys }: Pick<Deps, 'keys'>,
  { tenantId, agentId, mayUsePlatformKey }: Pick<RunRow, 'tenantId' | 'agentId' | 'mayUsePlatformKey'>,
  { provider, model }: Pick<RunSide['content'], 'provider' | 'model'>,
  refusal: string,
): Promise<void> {
  const { source, isLimited } = await keys.resolve({ tenantId, agentId, provider, model });
  if (source === 'platform' && !mayUsePlatformKey)
    throw unprocessable(
      `only the platform's key is there for ${provider}: allow it in the settings of the set, or store a key`,
    );
  if (source === 'none' && !isLimited) throw unprocessable(refusal);
}

/** Ends a run; its results stay. @throws HttpError 404, 409 when it has ended. */
export async function stopRun(deps: Deps, key: RunKey): Promise<RunRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const run = found(await lockRun(tx, key), 'run');
    if (run.readyAt === null) throw conflict('the run has ended');
    const change = { state: 'stopped', fence: run.fence + 1, readyAt: null, leaseUntil: null } as const;
    const stopped = found(await updateRun(tx, key, { ...change, finishedAt: new Date() }), 'run');
    await announce(deps, tx, stopped);
    return stopped;
  });
}
