import { type PlatformTx, type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
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
  return createRemoval(deps, {
    name: 'removal of attachments',
    everyMs,
    list: (tx) => listAttachmentsToRemove(tx, batchSize),
    note: deleteUnowned,
    onRemoved: () => deps.tenantPurge.wake(),
  });
}

/** Removes the bytes of files past their retention. Their mails still name them. */
export function createAttachmentExpiry(
  deps: Pick<Deps, 'database' | 'objects' | 'log'>,
  { days, everyMs = 600_000 }: { days: number; everyMs?: number },
): Worker {
  return createRemoval(deps, {
    name: 'expiry of attachments',
    everyMs,
    list: (tx) => listExpiredAttachments(tx, { days, limit: batchSize }),
    note: expireAttachment,
  });
}

type StoredFile = Pick<AttachmentRow, 'tenantId' | 'attachmentId' | 'objectKey'>;

interface Removal {
  name: string;
  everyMs: number;
  list(tx: PlatformTx): Promise<StoredFile[]>;
  /** Records that the bytes of a file are removed. */
  note(tx: TenantTx, file: StoredFile): Promise<unknown>;
  onRemoved?(): void;
}

function createRemoval(
  deps: Pick<Deps, 'database' | 'objects' | 'log'>,
  { name, everyMs, list, note, onRemoved }: Removal,
): Worker {
  const listDue = () => withPlatform(deps.database, name, list);
  return createPeriodic({
    name,
    everyMs,
    log: deps.log,
    work: async (isStopped) => {
      for (let due = await listDue(); due.length > 0 && !isStopped(); due = await listDue()) {
        const removed = await Promise.all(due.map((file) => isRemoved(deps, file, note)));
        onRemoved?.();
        // A failed removal is retried by the next run, and doesn't stop the others.
        if (!removed.includes(true)) break;
      }
    },
  });
}

async function isRemoved(
  { database, objects, log }: Pick<Deps, 'database' | 'objects' | 'log'>,
  attachment: StoredFile,
  note: Removal['note'],
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
