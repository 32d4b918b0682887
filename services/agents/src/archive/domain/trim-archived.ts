import { dropMedia } from '@botyard/contracts/events/webhook-requests';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { type FileRow, markTrimmed, nextFile } from '../store/files.ts';
import { type JobRow, stepJob } from '../store/jobs.ts';
import { trimMessages } from '../store/messages.ts';
import type { ArchivedLine } from './file-format.ts';
import type { ArchiveDeps, Work } from './jobs.ts';
import { readFile } from './objects.ts';

/** Rows removed in one transaction, which bounds how long other transactions wait. */
const batchSize = 500;

/**
 * Removes archived messages from the database, file by file. Each file is first read from the object store and
 * verified. A faulty file is noted, and its messages stay. Messages edited since then stay, too.
 */
export const trimArchived: Work = async (deps, job, signal) => {
  const { database } = deps;
  const { tenantId } = job;
  let after = job.cursor;
  while (!signal.aborted) {
    const file = await withTenant(database, [tenantId], (tx) =>
      nextFile(tx, tenantId, { after, trimBefore: job.before }),
    );
    if (!file) return true;
    const lines = await linesOf(deps, job, file);
    if (lines && !(await trimFile(deps, job, file, lines, signal))) return false;
    after = file.fileId;
  }
  return false;
};

async function linesOf(
  { database, objects }: ArchiveDeps,
  job: JobRow,
  file: FileRow,
): Promise<ArchivedLine[] | null> {
  try {
    return await readFile(objects, file);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    const fault = { fileId: file.fileId, fault: error instanceof Error ? error.message : String(error) };
    await withTenant(database, [job.tenantId], (tx) => stepJob(tx, job, { faults: [fault] }));
    return null;
  }
}

async function trimFile(
  { bus, database }: ArchiveDeps,
  job: JobRow,
  file: FileRow,
  lines: readonly ArchivedLine[],
  signal: AbortSignal,
): Promise<boolean> {
  for (let from = 0; from < lines.length; from += batchSize) {
    if (signal.aborted) return false;
    await failpoint('agents.trim.before-delete');
    const held = lines
      .slice(from, from + batchSize)
      .map(({ messageId, row }) => ({ messageId, text: row.text }));
    const isOurs = await withTenant(database, [job.tenantId], async (tx) => {
      const { messages, mediaIds } = await trimMessages(tx, file, held);
      // Done before the commit: an interrupted call is repeated, and no media file outlives its message.
      if (mediaIds.length > 0) await ask(bus, dropMedia, { tenantId: job.tenantId, mediaIds });
      return await stepJob(tx, job, { messages });
    });
    if (!isOurs) return false;
  }
  return await withTenant(database, [job.tenantId], async (tx) => {
    await markTrimmed(tx, file);
    return await stepJob(tx, job, { cursor: file.fileId, files: 1, bytes: file.sizeBytes });
  });
}
