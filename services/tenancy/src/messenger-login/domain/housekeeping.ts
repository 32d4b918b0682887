import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../../deps.ts';
import { pruneLogins } from '../store/messenger-logins.ts';

/** Longer than a signature is fresh and a sign-in lasts. */
const keptMs = 3_600_000;

/** Forgets sign-ins and signatures that are too old to be shown again. */
export const createLoginHousekeeping = ({ database, log }: Pick<Deps, 'database' | 'log'>): Worker =>
  createPeriodic({
    name: 'old sign-ins',
    everyMs: 600_000,
    log,
    work: () => withPlatform(database, 'old sign-ins', (tx) => pruneLogins(tx, keptMs)),
  });
