import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { withTenant } from '@botyard/shared/db/database';
import { isUnavailable } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import { dropFiles, keepFiles } from '../../files/domain/keep-files.ts';
import type { SpooledFile } from '../../files/domain/spool.ts';
import { claimAttachments } from '../../files/store/attachments.ts';
import type { FetchedFile } from '../../platforms/clients/download.ts';
import type { Deps } from '../deps.ts';
import { type ClaimedMedia, mediaQueue, releaseMedia, settleMedia } from '../store/media.ts';

/** The platform serves no larger files. */
const maxBytesOfFile = 20 * 1024 * 1024;
/** The most files of a tenant in a process. So many more are fetched of other tenants. */
const maxOfTenant = 3;
/** The most attempts. The person has received an answer without the file long before. */
const maxTries = 5;

/**
 * Fetches files that came into chats, after their messages were admitted. If the process is killed, the file is fetched
 * again when the lease ends, and what the earlier attempt wrote is removed by its row.
 */
export const createMediaFetching = (deps: Deps): LeasedQueue<ClaimedMedia> =>
  new LeasedQueue(deps, {
    name: 'files of chats',
    table: mediaQueue,
    slots: maxOfTenant,
    share: maxOfTenant,
    run: (media, { signal }) => fetchMedia(deps, media, signal),
  });

async function fetchMedia(deps: Deps, media: ClaimedMedia, signal: AbortSignal): Promise<void> {
  // Every attempt ended with the death of its process.
  if (media.attempts > maxTries) return await giveUpTrying(deps, media, 'no attempt was completed');
  const reception = deps.spool.receive({ tenantId: media.tenantId });
  const startedAt = performance.now();
  try {
    const fetched = await fetchFile(deps, media, { signal, read: (content) => reception.keep(content) });
    if (fetched.outcome === 'fetched') {
      await keep(deps, media, fetched.result, signal);
      const { sizeBytes } = fetched.result;
      const durationMs = Math.round(performance.now() - startedAt);
      deps.log.info({ ...about(media), sizeBytes, durationMs }, 'a file of a chat was fetched');
    } else if (fetched.outcome === 'refused') await giveUp(deps, media, fetched.reason);
    else await tryAgain(deps, media, fetched);
  } catch (error) {
    const isStopping = signal.aborted;
    // An outage of the database, the object store or the disk isn't the file's fault.
    const isOutage = isStopping || isUnavailable(error);
    if (!isStopping) deps.log.warn({ err: error, ...about(media) }, 'could not fetch a file of a chat');
    if (isOutage) await release(deps, media, { waitMs: isStopping ? 0 : backoffMs(1), isCounted: false });
    else await tryAgain(deps, media, { reason: 'an internal error' });
  } finally {
    await reception.dispose();
  }
}

const about = ({ tenantId, botId, mediaId, attempts }: ClaimedMedia) => ({
  tenantId,
  botId,
  mediaId,
  attempts,
});

async function fetchFile(
  deps: Deps,
  { platform, botId, fileRef }: ClaimedMedia,
  { signal, read }: { signal: AbortSignal; read: (content: AsyncIterable<Buffer>) => Promise<SpooledFile> },
): Promise<FetchedFile<SpooledFile>> {
  const adapter = deps.platforms[platform];
  const file = { botId, fileRef, maxBytes: maxBytesOfFile, signal };
  return (await adapter.fetchFile?.(file, read)) ?? { outcome: 'refused', reason: 'unavailable' };
}

/** Stores the file first, and then marks it as stored. Removes the files of a superseded attempt. */
async function keep(deps: Deps, media: ClaimedMedia, file: SpooledFile, signal: AbortSignal): Promise<void> {
  const { tenantId, mediaId, name } = media;
  const owner = { tenantId, mailId: mediaId };
  // Files of an earlier attempt.
  if (media.attempts > 1) await dropFiles(deps, owner);
  let isKept = false;
  try {
    const files = await keepFiles(deps, owner, {
      files: [{ field: 'file', name, file }],
      inlineFields: new Set(),
      readText: (document) => deps.textExtraction.read(tenantId, document, signal),
    });
    await failpoint('webhooks.media.before-commit');
    isKept = await withTenant(deps.database, [tenantId], async (tx) => {
      if (!(await settleMedia(tx, media, null))) return false;
      await claimAttachments(tx, owner, files);
      return true;
    });
  } finally {
    if (!isKept) await dropFiles(deps, owner);
  }
}

async function tryAgain(
  deps: Deps,
  media: ClaimedMedia,
  { reason, waitMs = backoffMs(media.attempts) }: { reason: string; waitMs?: number },
): Promise<void> {
  if (media.attempts >= maxTries) return await giveUpTrying(deps, media, reason);
  await release(deps, media, { waitMs, isCounted: true });
}

async function giveUpTrying(deps: Deps, media: ClaimedMedia, reason: string): Promise<void> {
  deps.log.warn({ ...about(media), reason }, 'a file of a chat was given up');
  await dropFiles(deps, { tenantId: media.tenantId, mailId: media.mediaId });
  await giveUp(deps, media, 'unavailable');
}

const giveUp = (deps: Deps, media: ClaimedMedia, reason: 'too_large' | 'unavailable') =>
  withTenant(deps.database, [media.tenantId], async (tx) => {
    await settleMedia(tx, media, reason);
  });

const release = (deps: Deps, media: ClaimedMedia, how: { waitMs: number; isCounted: boolean }) =>
  withTenant(deps.database, [media.tenantId], (tx) => releaseMedia(tx, media, how));
