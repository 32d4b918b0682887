import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { v7 as uuidv7 } from 'uuid';
import { deleteFile, type FileRow, insertFile, keepFile, listWritingOf } from '../store/files.ts';
import { type JobRow, stepJob } from '../store/jobs.ts';
import { type ArchivableRow, countArchivable, listArchivable, markArchived } from '../store/messages.ts';
import { chatsOf, fitting, pack, toLine } from './file-format.ts';
import type { ArchiveDeps, Work } from './jobs.ts';
import { keepBytes, keyOf } from './objects.ts';

/** Messages per file: few enough that marking them is quick. */
const batch = 2000;

/**
 * Writes a tenant's settled messages into files, in the order of their identifiers. A file is noted, written and read
 * back, and then committed together with the marks of its messages in one transaction. A crash in between leaves a note
 * and bytes, which are removed; the messages are read again. No lock is held during transfers.
 */
export const archiveMessages: Work = async (deps, job, signal) => {
  const { database } = deps;
  await removeUnfinished(deps, job);
  if (job.messagesTotal === null) {
    const isOurs = await withTenant(database, [job.tenantId], async (tx) =>
      stepJob(tx, job, { total: await countArchivable(tx, job) }),
    );
    if (!isOurs) return false;
  }
  let { cursor } = job;
  while (!signal.aborted) {
    const read = await withTenant(database, [job.tenantId], (tx) =>
      listArchivable(tx, { ...job, cursor }, batch),
    );
    if (read.length === 0) return true;
    const written = fitting(read);
    const outcome = await writeFile(deps, job, written);
    if (outcome === 'lost') return false;
    // Messages that were changed meanwhile are read again.
    if (outcome === 'kept') cursor = written.at(-1)!.messageId;
  }
  return false;
};

/** Removes files that this job began before its process was killed. */
async function removeUnfinished({ database, objects }: ArchiveDeps, job: JobRow): Promise<void> {
  const begun = await withTenant(database, [job.tenantId], (tx) =>
    listWritingOf(tx, job.tenantId, job.jobId),
  );
  for (const file of begun) {
    await objects.remove(file.objectKey);
    await withTenant(database, [job.tenantId], (tx) => deleteFile(tx, file));
  }
}

async function writeFile(
  deps: ArchiveDeps,
  job: JobRow,
  rows: readonly ArchivableRow[],
): Promise<'kept' | 'changed' | 'lost'> {
  const { database, objects } = deps;
  const { tenantId, jobId } = job;
  const lines = rows.map(toLine);
  const packed = await pack(lines);
  const key = { tenantId, fileId: uuidv7() };
  const file = {
    ...key,
    jobId,
    ...factsOf(rows),
    ...sizesOf(packed),
    objectKey: keyOf(tenantId, key.fileId, '1'),
  };
  const isOurs = await withTenant(database, [tenantId], async (tx) => {
    if (!(await stepJob(tx, job))) return false;
    await insertFile(tx, file);
    return true;
  });
  if (!isOurs) return 'lost';
  await failpoint('agents.archive.before-put');
  await keepBytes(objects, file.objectKey, packed, lines.length);
  await failpoint('agents.archive.before-mark');
  const outcome = await withTenant(database, [tenantId], async (tx) => {
    const progress = { messages: rows.length, files: 1, bytes: packed.bytes.length };
    if (!(await stepJob(tx, job, { cursor: rows.at(-1)!.messageId, ...progress }))) throw new Undone('lost');
    if ((await markArchived(tx, key, rows)) < rows.length) throw new Undone('changed');
    await keepFile(tx, key, chatsOf(tenantId, lines));
    return 'kept' as const;
  }).catch((error: unknown) => {
    if (error instanceof Undone) return error.why;
    throw error;
  });
  if (outcome !== 'kept') {
    await objects.remove(file.objectKey);
    await withTenant(database, [tenantId], (tx) => deleteFile(tx, key));
  }
  await failpoint('agents.archive.after-mark');
  return outcome;
}

/** Rolls back the transaction. */
class Undone extends Error {
  readonly why: 'changed' | 'lost';
  constructor(why: 'changed' | 'lost') {
    super(why);
    this.why = why;
  }
}

const sizesOf = ({ sha256, rawBytes, bytes }: Awaited<ReturnType<typeof pack>>) => ({
  sha256,
  rawBytes,
  sizeBytes: bytes.length,
});

function factsOf(
  rows: readonly ArchivableRow[],
): Pick<FileRow, 'messages' | 'firstMessageId' | 'lastMessageId' | 'firstAt' | 'lastAt'> {
  const moments = rows.map(({ createdAt }) => createdAt.getTime());
  return {
    messages: rows.length,
    firstMessageId: rows[0]!.messageId,
    lastMessageId: rows.at(-1)!.messageId,
    firstAt: new Date(Math.min(...moments)),
    lastAt: new Date(Math.max(...moments)),
  };
}
