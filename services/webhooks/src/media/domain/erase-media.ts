import { withTenant } from '@botyard/shared/db/database';
import { eraseFiles } from '../../files/domain/removal.ts';
import { listAttachments } from '../../files/store/attachments.ts';
import type { Deps } from '../deps.ts';
import { dropMedia, hasMediaOf, listMediaOf, type MediaOf } from '../store/media.ts';

const batchSize = 200;

/**
 * Deletes the files that a person has sent, or that came into their private chats. The bytes are deleted first, so that
 * after a kill the media rows still lead to the rest. Returns early while a file is being fetched, or when the time
 * runs out.
 */
export async function eraseMedia(
  deps: Pick<Deps, 'database' | 'objects'>,
  wanted: MediaOf,
  deadline: number,
): Promise<{ erased: number; isDone: boolean }> {
  const { database } = deps;
  const { tenantId } = wanted;
  let erased = 0;
  while (Date.now() < deadline) {
    const { mediaIds, files } = await withTenant(database, [tenantId], async (tx) => {
      const ids = await listMediaOf(tx, wanted, batchSize);
      return { mediaIds: ids, files: await listAttachments(tx, tenantId, ids) };
    });
    if (mediaIds.length === 0) break;
    await eraseFiles(deps, files);
    erased += await withTenant(database, [tenantId], (tx) => dropMedia(tx, { tenantId, mediaIds }));
  }
  const isLeft = await withTenant(database, [tenantId], (tx) => hasMediaOf(tx, wanted));
  return { erased, isDone: !isLeft };
}
