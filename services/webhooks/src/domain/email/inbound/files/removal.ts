import { withPlatform, withTenant } from '@botyard/shared/db/database';
import type { Worker } from '@botyard/shared/service/foundation';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Deps } from '../../../../deps.ts';
import { deleteAttachment, listAttachmentsToRemove } from '../../../../store/email/attachments.ts';

const bite = 100;

/**
 * Removes files that nobody has any longer: first the bytes, then what tells of them, so that an end in between is only
 * done again. What waits for it, such as the end of a tenant, looks again afterwards.
 */
export function createAttachmentRemoval(
  deps: Pick<Deps, 'database' | 'objects' | 'log' | 'tenantPurge'>,
  everyMs = 5000,
): Worker {
  return createPeriodic({
    name: 'removal of attachments',
    everyMs,
    log: deps.log,
    work: async (isStopped) => {
      const list = () =>
        withPlatform(deps.database, 'attachments to remove', (tx) => listAttachmentsToRemove(tx, bite));
      for (let due = await list(); due.length > 0 && !isStopped(); due = await list()) {
        for (const attachment of due) {
          await deps.objects.remove(attachment.objectKey);
          await withTenant(deps.database, [attachment.tenantId], (tx) => deleteAttachment(tx, attachment));
        }
        deps.tenantPurge.wake();
      }
    },
  });
}

/** What an end of a process in the middle of writing has left in the store itself. */
export const createObjectSweep = ({ objects, log }: Pick<Deps, 'objects' | 'log'>): Worker =>
  createPeriodic({
    name: 'sweep of the object store',
    everyMs: 3600_000,
    log,
    work: async () => {
      const removed = await objects.sweep();
      if (removed > 0) log.warn({ removed }, 'unfinished objects were removed');
    },
  });
