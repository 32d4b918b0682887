import type { ClaimLoop } from './claim-loop.ts';
import type { FairScheduler } from './fair-scheduler.ts';

/** Room for a tenant's job that is claimed elsewhere. Exactly one of the two functions has to be called. */
export interface Room<Job> {
  run(job: Job): void;
  giveBack(): void;
}

interface Worker<Job extends { tenantId: string }> {
  shares: FairScheduler<Job>;
  loop: ClaimLoop<Job>;
}

/** Reserves room for a job within its tenant's share; `undefined` if the process has none now. */
export function reserveRoom<Job extends { tenantId: string }>(
  { shares, loop }: Worker<Job>,
  tenantId: string,
): Room<Job> | undefined {
  if (!shares.tryBegin({ tenantId })) return undefined;
  const take = loop.reserve();
  if (!take) {
    shares.end({ tenantId });
    return undefined;
  }
  return {
    run: take,
    giveBack: () => {
      shares.end({ tenantId });
      take(undefined);
    },
  };
}
