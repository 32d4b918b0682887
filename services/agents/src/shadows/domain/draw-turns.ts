import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { isInShare } from '../../releases/domain/agent-of-session.ts';
import { lockRelease, type ReleaseKey } from '../../releases/store/releases.ts';
import type { Deps } from '../deps.ts';
import { countDrawn, insertDrawn, listShadowReleases, listTurnsToDraw } from '../store/drawn-turns.ts';

const everyMs = 5000;
/** Turns that a release looks at in one pass. */
const batchSize = 200;
/** The answers of a tenant that may wait. Turns beyond it are passed over, so that no backlog builds up. */
const maxWaiting = 20;
/** The answers of a release. */
const maxAnswers = 1000;

type DrawDeps = Pick<Deps, 'database' | 'log' | 'wakeShadows'>;

/** Draws ended turns of the live versions, which the candidates of running releases answer, too. */
export const createShadowDraw = (deps: DrawDeps): Worker =>
  createPeriodic({
    name: 'shadows of releases',
    everyMs,
    log: deps.log,
    work: async (isStopped) => {
      for (const release of await withPlatform(deps.database, 'shadows of releases', listShadowReleases)) {
        if (isStopped()) return;
        await drawTurns(deps, release).catch((error: unknown) =>
          deps.log.error({ err: error, ...release }, 'no turns could be drawn for a shadow'),
        );
      }
    },
  });

/** Draws the turns since the last pass. A hash decides, so a repeated pass draws the same. */
async function drawTurns(deps: DrawDeps, key: ReleaseKey): Promise<void> {
  const { releaseId } = key;
  const hasDrawn = await withTenant(deps.database, [key.tenantId], async (tx) => {
    const release = await lockRelease(tx, key);
    if (release?.state !== 'running') return false;
    const ended = await listTurnsToDraw(tx, release, batchSize);
    const until = ended.at(-1)?.turnId;
    if (until === undefined) return false;
    const { ofRelease, waiting } = await countDrawn(tx, key);
    const room = Math.max(0, Math.min(maxWaiting - waiting, maxAnswers - ofRelease));
    const turnIds = ended
      .map(({ turnId }) => turnId)
      .filter((turnId) => isInShare({ releaseId, sessionId: turnId }, release.shadow))
      .slice(0, room);
    await insertDrawn(tx, key, { turnIds, until });
    return turnIds.length > 0;
  });
  if (hasDrawn) deps.wakeShadows();
}
