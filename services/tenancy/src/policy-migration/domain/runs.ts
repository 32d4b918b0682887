import type { Caller } from '@botyard/shared/auth/caller';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { conflict, unavailable } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import { countPending } from '../store/pending.ts';
import { getLiveRun, insertRun, lockLiveRun, type RunRow, saveRun } from '../store/runs.ts';
import { policyNames } from './policy-texts.ts';

type Parts = Pick<Deps, 'database' | 'policyMigrator' | 'log'>;

/**
 * Begins a run, or resumes the last one if something has become pending since. Returns whether there is newly started
 * work. @throws HttpError 409 while the run is rolled back, 503 while it can't be stopped.
 */
export async function executeMigration(deps: Parts, caller: Caller): Promise<boolean> {
  return await beginning(deps, 'authorization migration executed', async (tx) => {
    const run = await heldUnless(tx, ['executing', 'rollingBack']);
    if (run?.state === 'rollingBack')
      throw conflict('the migration is being rolled back: wait until that is done');
    if (run?.state === 'executing') return false;
    const migrationId = run?.migrationId ?? null;
    const { edges, policies } = await countPending(tx, { migrationId, names: policyNames });
    if (edges + policies === 0) return false;
    if (!run) return (await insertRun(tx, caller.userId)) !== undefined;
    await saveRun(tx, run.migrationId, { state: 'executing', finishedAt: null });
    return true;
  });
}

/**
 * Begins to roll the run back, even one that is still executing. @throws HttpError 409 when there is none, 503 as
 * above.
 */
export async function rollbackMigration(deps: Parts): Promise<boolean> {
  return await beginning(deps, 'authorization migration rolled back', async (tx) => {
    const run = await heldUnless(tx, ['rollingBack']);
    if (!run) throw conflict('there is nothing to roll back');
    if (run.state === 'rollingBack') return false;
    await saveRun(tx, run.migrationId, { state: 'rollingBack', lastError: null });
    return true;
  });
}

/**
 * The current run, locked against changes. A run in one of these states is only read, because there is nothing to wait
 * for.
 */
async function heldUnless(tx: PlatformTx, states: readonly RunRow['state'][]): Promise<RunRow | undefined> {
  const seen = await getLiveRun(tx);
  return seen && states.includes(seen.state) ? seen : await lockLiveRun(tx, 'update');
}

async function beginning(
  { database, policyMigrator, log }: Parts,
  audit: string,
  work: (tx: PlatformTx) => Promise<boolean>,
): Promise<boolean> {
  const hasBegun = await withPlatform(database, audit, work).catch((error: unknown) => {
    // The current tenant has to be finished first, and another transaction may hold it.
    if (!isContention(error)) throw error;
    throw unavailable('the tenant that is being migrated is locked: try again', { cause: error });
  });
  if (hasBegun) log.info({ audit }, 'audit');
  policyMigrator.wake();
  return hasBegun;
}
