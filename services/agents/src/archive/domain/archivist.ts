import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { claimJobs, endJob, type JobRow } from '../store/jobs.ts';
import { scheduleJobs } from '../store/settings.ts';
import { archiveMessages } from './archive-messages.ts';
import { checkFiles } from './check-files.ts';
import type { ArchiveDeps, Work } from './jobs.ts';
import { removeLeftOver } from './left-over.ts';
import { trimArchived } from './trim-archived.ts';

type ArchivistDeps = ArchiveDeps & Pick<Deps, 'log' | 'stalls'>;

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
  let isStopped = false;
  const loop: ClaimLoop<JobRow> = new ClaimLoop<JobRow>({
    name: 'archive',
    maxConcurrent: 1,
    pollEveryMs: 5000,
    claim: (limit) => withPlatform(database, 'jobs of the archive', (tx) => claimJobs(tx, limit)),
    run: (job) => runJob(deps, job, () => isStopped),
    mayHaveLeft: () => false,
    log,
    stalls: deps.stalls,
  });
  const cleaner = createPeriodic({
    name: 'left over of the archive',
    everyMs: 5000,
    log,
    work: (isOver) => removeLeftOver(deps, isOver),
  });
  const scheduler = createPeriodic({
    name: 'archive schedule',
    everyMs: 60_000,
    log,
    work: async () => {
      if ((await withPlatform(database, 'archive schedule', scheduleJobs)) > 0) loop.wake();
    },
  });
  return {
    start: () => {
      loop.start();
      cleaner.start();
      scheduler.start();
    },
    stop: async () => {
      isStopped = true;
      await Promise.all([loop.stop(), cleaner.stop(), scheduler.stop()]);
    },
    wake: () => loop.wake(),
  };
}

async function runJob(deps: ArchivistDeps, job: JobRow, isStopped: () => boolean): Promise<void> {
  const end = (ended: Parameters<typeof endJob>[2]) =>
    withTenant(deps.database, [job.tenantId], (tx) => endJob(tx, job, ended));
  try {
    const isDone = await works[job.kind](deps, job, isStopped);
    if (isDone) await end({ state: 'done' });
    else if (isStopped())
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
