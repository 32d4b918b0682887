import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../../../deps.ts';
import { listUnannouncedParts, lockOutboxForWriting, takeUnannounced } from '../../store/part-outcomes.ts';
import { announceDone } from '../chats/settle-reply.ts';

const everyMs = 5000;

type AnnounceDeps = Pick<Deps, 'database' | 'outbox' | 'log' | 'platforms'>;

/** Announces replies whose outcome was saved without its event, when the outbox accepts events again. */
export function createAnnouncer(deps: AnnounceDeps): Worker & { wake(): void } {
  let running: Promise<void> | undefined;
  const announce = () => {
    running ??= announceWritten(deps).finally(() => {
      running = undefined;
    });
    return running;
  };
  const periodic = createPeriodic({
    name: 'announcement of replies',
    everyMs,
    work: announce,
    log: deps.log,
  });
  return {
    ...periodic,
    wake: () =>
      void announce().catch((error: unknown) =>
        deps.log.info({ err: error }, 'the outcome of a reply will be announced later'),
      ),
  };
}

async function announceWritten(deps: AnnounceDeps): Promise<void> {
  const { database, platforms } = deps;
  for (const part of await withPlatform(database, 'unannounced parts', listUnannouncedParts)) {
    const { tenantId, replyId } = part;
    const { records } = platforms[part.platform];
    await withTenant(database, [tenantId], async (tx: TenantTx) => {
      // Taken first and without waiting, because nothing is sent to the chat while it is locked here.
      await lockOutboxForWriting(tx);
      await records?.lock(tx, part);
      await takeUnannounced(tx, part);
      if (replyId !== null) await announceDone(deps, tx, tenantId, [replyId]);
      await records?.settle(tx, part);
    });
  }
}
