import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { SendDeps } from '../deps.ts';
import { listUnannouncedParts, lockOutboxForWriting, takeUnannounced } from '../store/unannounced-parts.ts';
import { announceEnded } from './announce-replies.ts';

const everyMs = 5000;

type AnnouncerDeps = Pick<SendDeps, 'database' | 'outbox' | 'log' | 'platforms'>;

/** Announces replies whose outcome was saved without its event, when the outbox accepts events again. */
export function createAnnouncer(deps: AnnouncerDeps): Worker & { wake(): void } {
  let running: Promise<void> | undefined;
  const work = () => {
    running ??= announceAll(deps).finally(() => {
      running = undefined;
    });
    return running;
  };
  const { log } = deps;
  return {
    ...createPeriodic({ name: 'announcement of replies', everyMs, work, log }),
    wake: () =>
      void work().catch((error: unknown) => log.info({ err: error }, 'replies will be announced later')),
  };
}

async function announceAll(deps: AnnouncerDeps): Promise<void> {
  const { database, platforms } = deps;
  for (const part of await withPlatform(database, 'unannounced parts', listUnannouncedParts)) {
    const { tenantId, replyId } = part;
    const { records } = platforms[part.platform];
    await withTenant(database, [tenantId], async (tx) => {
      // Taken first and without waiting, because nothing else is done to the reply while it is locked here.
      await lockOutboxForWriting(tx);
      await records?.lock(tx, part);
      await takeUnannounced(tx, part);
      if (replyId !== null) await announceEnded(deps, tx, [{ tenantId, replyId }]);
      await records?.settle(tx, part);
    });
  }
}
