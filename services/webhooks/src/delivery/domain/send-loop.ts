import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import { type Allotment, FairScheduler } from '@botyard/shared/work/fair-scheduler';
import type { SendDeps } from '../deps.ts';
import type { Claimer } from '../store/sender-processes.ts';

/** The process that claims. */
interface Process {
  processId: string;
  /** Resolves when what earlier processes left is written. Nothing is claimed before. */
  isRestored: Promise<void>;
}

interface Queue<Job> {
  name: string;
  slots: number;
  /** The key of a job among all jobs that this process holds. */
  keyOf(job: Job): string;
  claim(tx: PlatformTx, allotment: Allotment, claimer: Claimer): Promise<Job[]>;
  claimOfLone(tx: PlatformTx, limit: number, claimer: Claimer): Promise<Job[]>;
  /** Resolves with the time in ms for which the job has to wait, if it does. */
  run(job: Job): Promise<number | undefined>;
}

export type SendLoop<Job> = Pick<ClaimLoop<Job>, 'start' | 'stop' | 'wake' | 'runningCount'>;

/** Claims jobs in fair shares, and holds each until its worker has ended. */
export function createSendLoop<Job extends { tenantId: string }>(
  { database, log, stalls }: Pick<SendDeps, 'database' | 'log' | 'stalls'>,
  { processId, isRestored }: Process,
  { name, slots, keyOf, claim, claimOfLone, run }: Queue<Job>,
): SendLoop<Job> {
  const held = new Map<string, Job>();
  const claimed = async (ask: (tx: PlatformTx, claimer: Claimer) => Promise<Job[]>) => {
    await isRestored;
    const claimer = { processId, held: [...held.keys()] };
    const jobs = await withPlatform(database, `claim for the ${name}`, (tx) => ask(tx, claimer), {
      isDurable: false,
      isOneRoundTrip: true,
    });
    for (const job of jobs) held.set(keyOf(job), job);
    return jobs;
  };
  const shares = new FairScheduler<Job>({
    slots,
    claim: (allotment) => claimed((tx, claimer) => claim(tx, allotment, claimer)),
    claimOfLone: (limit) => claimed((tx, claimer) => claimOfLone(tx, limit, claimer)),
    log,
  });
  const end = (job: Job) => {
    // The job may have been released and claimed again before its worker ended. Then another worker holds it.
    if (held.get(keyOf(job)) === job) held.delete(keyOf(job));
    shares.end(job);
  };
  const loop = new ClaimLoop<Job>({
    name,
    maxConcurrent: shares.maxAtOnce,
    claim: (limit) => shares.claim(limit),
    mayHaveLeft: () => shares.hasHeldBack,
    run: async (job) => {
      const waitMs = await run(job).finally(() => end(job));
      if (waitMs !== undefined) loop.wakeIn(waitMs);
    },
    log,
    stalls,
  });
  return loop;
}
