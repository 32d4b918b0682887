import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { removeEndedLinks } from '../store/server-links.ts';
import { removeEndedSignIns } from '../store/sign-ins.ts';
import { revokeGrants, unconfirmedIn } from './grants.ts';

type EndDeps = Pick<Deps, 'database' | 'egress' | 'keyring' | 'log'>;

/** Forgets sign-ins and links that nobody completed in time: they name the people who began them. */
export function createSignInEnds(deps: EndDeps): Worker {
  const { database, log } = deps;
  return createPeriodic({
    name: 'sign-ins to MCP servers',
    everyMs: 600_000,
    log,
    work: async () => {
      await withPlatform(database, 'sign-ins that have ended', removeEndedSignIns);
      await endLinks(deps);
    },
  });
}

/** Removes links that are over, and revokes what was signed in and never confirmed. */
async function endLinks(deps: EndDeps): Promise<void> {
  for (let removed = -1; removed !== 0; ) {
    const links = await withPlatform(deps.database, 'links that have ended', removeEndedLinks);
    await revokeGrants(deps, unconfirmedIn(links));
    removed = links.length;
  }
}
