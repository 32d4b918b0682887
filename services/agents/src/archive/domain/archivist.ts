import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import type { Foundation } from '@botyard/shared/service/foundation';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import {
  deleteFile,
  type FileRow,
  listExpired,
  listLeftOver,
  markChecked,
  nextFile,
} from '../store/files.ts';
import { endJob, type JobRow, jobQueue, stepJob } from '../store/jobs.ts';
import { clearKeys } from '../store/rewriting.ts';
import { scheduleJobs } from '../store/settings.ts';
import { archiveMessages } from './archive-messages.ts';
import type { ArchiveDeps, Work } from './jobs.ts';
import { readFile } from './objects.ts';
import { removeDeleted } from './remove-deleted.ts';
import { trimArchived } from './trim-archived.ts';

type ArchivistDeps = ArchiveDeps & Foundation;

/** Reads every file as a restore would: its bytes, its checksum and each of its lines. */
const checkFiles: Work = async ({ database, objects }, job, signal) => {
  const { tenantId } = job;
  let after = job.cursor;
  while (!signal.aborted) {
    const file = await withTenant(database, [tenantId], (tx) => nextFile(tx, tenantId, { after }));
    if (!file) return true;
    const fault = await readFile(objects, file).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof HttpError) throw error;
        return error instanceof Error ? error.message : String(error);
      },
    );
    const { fileId, messages, sizeBytes: bytes } = file;
    const isOurs = await withTenant(database, [tenantId], async (tx) => {
      if (fault === undefined) await markChecked(tx, file);
      const faults = fault === undefined ? [] : [{ fileId, fault }];
      return await stepJob(tx, job, { cursor: fileId, messages, files: 1, bytes, faults });
    });
    if (!isOurs) return false;
    after = fileId;
  }
  return false;
};

const works: Readonly<Record<JobRow['kind'], Work>> = {
  archive: archiveMessages,
  trim: trimArchived,
  check: checkFiles,
};

/** Attempts without any progress between them. */
const maxAttempts = 8;
const retryMs = 5000;

/** The worker of the archive: one job at a time in a process, since each holds a file in memory. */
export function createArchivist(deps: ArchivistDeps): Worker & { wake(): void } {
  const { database, log } = deps;
  const queue = new LeasedQueue(deps, {
    name: 'archive',
    table: jobQueue,
    slots: 1,
    run: (job, { signal }) => runJob(deps, job, signal),
  });
  const cleaner = createPeriodic({
    name: 'left over of the archive',
    everyMs: 5000,
    log,
    work: async (isOver) => {
      await removeLeftOver(deps, isOver);
      await removeDeleted(deps, isOver);
    },
  });
  const scheduler = createPeriodic({
    name: 'archive schedule',
    everyMs: 60_000,
    log,
    work: async () => {
      if ((await withPlatform(database, 'archive schedule', scheduleJobs)) > 0) queue.wake();
    },
  });
  return {
    start: () => {
      queue.start();
      cleaner.start();
      scheduler.start();
    },
    stop: async () => {
      await Promise.all([queue.stop(), cleaner.stop(), scheduler.stop()]);
    },
    wake: () => queue.wake(),
  };
}

async function runJob(deps: ArchivistDeps, job: JobRow, signal: AbortSignal): Promise<void> {
  const end = (ended: Parameters<typeof endJob>[2]) =>
    withTenant(deps.database, [job.tenantId], (tx) => endJob(tx, job, ended));
  try {
    const isDone = await works[job.kind](deps, job, signal);
    if (isDone) await end({ state: 'done' });
    else if (signal.aborted)
      await end({ retryInMs: 0, lastError: 'the service stopped before the job was done' });
  } catch (error) {
    deps.log.warn({ err: error, jobId: job.jobId }, 'an archive job failed');
    const lastError = textOf(error);
    if (job.attempts >= maxAttempts) await end({ state: 'failed', lastError });
    else await end({ retryInMs: retryMs * job.attempts, lastError });
  }
}

/** The part of a failure that an admin may read: only texts written for admins. */
const textOf = (error: unknown): string =>
  error instanceof HttpError
    ? withoutSecrets(error.message).slice(0, 500)
    : 'an internal error: look for this jobId in the log';

const batchSize = 100;

/** Removes orphaned bytes: of unfinished or replaced files, of expired files, and of deleted tenants. */
async function removeLeftOver(deps: ArchiveDeps, isStopped: () => boolean): Promise<void> {
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
