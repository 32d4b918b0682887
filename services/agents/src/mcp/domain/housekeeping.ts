import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { removeEndedSignIns } from '../store/sign-ins.ts';

/** Forgets sign-ins that nobody completed in time: they name the admin who began them. */
export function createSignInEnds({ database, log }: Pick<Deps, 'database' | 'log'>): Worker {
  return createPeriodic({
    name: 'sign-ins to MCP servers',
    everyMs: 600_000,
    log,
    work: () => withPlatform(database, 'sign-ins that have ended', removeEndedSignIns),
  });
}
