import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import {
  type AttachmentRow,
  deleteAttachment,
  deleteUnowned,
  expireAttachment,
  listAttachmentsToRemove,
  listExpiredAttachments,
} from '../store/attachments.ts';

const batchSize = 100;

/**
 * Removes unowned files: first the bytes, then their row, so that an interrupted removal is simply repeated. Work that
 * waits for it, such as the purge of a tenant, continues afterwards.
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
        withPlatform(deps.database, 'attachments to remove', (tx) => listAttachmentsToRemove(tx, batchSize));
      for (let due = await list(); due.length > 0 && !isStopped(); due = await list()) {
        const removed = await Promise.all(due.map((file) => isRemoved(deps, file, deleteUnowned)));
        deps.tenantPurge.wake();
        // A failed removal is retried by the next run, and doesn't stop the others.
        if (!removed.includes(true)) break;
      }
    },
  });
}

/** Removes the bytes of files past their retention. Their mails still name them. */
export function createAttachmentExpiry(
  deps: Pick<Deps, 'database' | 'objects' | 'log'>,
  { days, everyMs = 600_000 }: { days: number; everyMs?: number },
): Worker {
  return createPeriodic({
    name: 'expiry of attachments',
    everyMs,
    log: deps.log,
    work: async (isStopped) => {
      const list = () =>
        withPlatform(deps.database, 'expired attachments', (tx) =>
          listExpiredAttachments(tx, { days, limit: batchSize }),
        );
      for (let due = await list(); due.length > 0 && !isStopped(); due = await list()) {
        const expired = await Promise.all(
          due.map((attachment) => isRemoved(deps, attachment, expireAttachment)),
        );
        if (!expired.includes(true)) break;
      }
    },
  });
}

async function isRemoved(
  { database, objects, log }: Pick<Deps, 'database' | 'objects' | 'log'>,
  attachment: Pick<AttachmentRow, 'tenantId' | 'attachmentId' | 'objectKey'>,
  note: (tx: TenantTx, file: typeof attachment) => Promise<unknown>,
): Promise<boolean> {
  const { tenantId, attachmentId } = attachment;
  try {
    await objects.remove(attachment.objectKey);
    await withTenant(database, [tenantId], (tx) => note(tx, attachment));
    return true;
  } catch (error) {
    log.warn({ err: error, tenantId, attachmentId }, 'could not remove a file: it will be retried');
    return false;
  }
}

/** Removes files of one owner, each with its bytes first: after a kill, the owner's rows still lead to the rest. */
export async function eraseFiles(
  { database, objects }: Pick<Deps, 'database' | 'objects'>,
  files: readonly AttachmentRow[],
): Promise<void> {
  for (const file of files) {
    await objects.remove(file.objectKey);
    await failpoint('webhooks.erasure.between-files');
    await withTenant(database, [file.tenantId], (tx) => deleteAttachment(tx, file));
  }
}

/** Removes remains of interrupted writes in the store itself. */
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
