import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { deleteFile, type FileRow, listExpired, listLeftOver } from '../store/files.ts';
import { clearKeys } from '../store/rewriting.ts';
import type { ArchiveDeps } from './jobs.ts';

const batchSize = 100;

/** Removes orphaned bytes: of unfinished or replaced files, of expired files, and of deleted tenants. */
export async function removeLeftOver(deps: ArchiveDeps, isStopped: () => boolean): Promise<void> {
  const { database } = deps;
  for (;;) {
    const files = await withPlatform(database, 'left over of the archive', async (tx) => [
      ...(await listLeftOver(tx, batchSize)),
      ...(await listExpired(tx, batchSize)).map((file) => ({ ...file, isDeleted: true })),
    ]);
    for (const file of files) {
      if (isStopped()) return;
      await removeOne(deps, file);
    }
    if (files.length < batchSize) return;
  }
}

async function removeOne(
  { database, objects }: ArchiveDeps,
  file: FileRow & { isDeleted: boolean },
): Promise<void> {
  const isGone = file.isDeleted || file.state === 'writing';
  const keys = [file.nextKey, file.oldKey, isGone ? file.objectKey : null];
  for (const key of keys) if (key) await objects.remove(key);
  await withTenant(database, [file.tenantId], (tx) => (isGone ? deleteFile(tx, file) : clearKeys(tx, file)));
}
