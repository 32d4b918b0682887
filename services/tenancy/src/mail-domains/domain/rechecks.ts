import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { listTenantsWithMailboxes } from '../../integrations/store/integrations.ts';
import type { Deps } from '../deps.ts';
import { claimDueMailDomains } from '../store/mail-domains.ts';
import { lookForRecord } from './mail-domains.ts';
import { reviewMailboxes } from './mailbox-status.ts';

const batchSize = 20;
/** Retry after a process that ended during a check. */
const retryMs = 600_000;

type RecheckDeps = Parameters<typeof lookForRecord>[0];

/** Checks the records of proven domains periodically. */
export const createDomainRechecks = (deps: RecheckDeps): Worker =>
  createPeriodic({
    name: 'proven mail domains',
    everyMs: 60_000,
    log: deps.log,
    work: (isStopped) => recheckDueDomains(deps, isStopped),
  });

export async function recheckDueDomains(
  deps: RecheckDeps,
  isStopped: () => boolean = () => false,
): Promise<void> {
  while (!isStopped()) {
    const due = await withPlatform(deps.database, 'mail domains to look for', (tx) =>
      claimDueMailDomains(tx, { limit: batchSize, retryMs }),
    );
    for (const key of due) if (!isStopped()) await lookForRecord(deps, key);
    if (due.length < batchSize) return;
  }
}

/**
 * Reviews every tenant's mailboxes once after the start: `MAILER_DOMAIN` may have changed, and integrations of an older
 * version were never reviewed.
 */
export function createMailboxReview(
  deps: Pick<Deps, 'database' | 'outbox' | 'mailerDomain' | 'log'>,
): Worker {
  let isDone = false;
  return createPeriodic({
    name: 'review of mailboxes',
    everyMs: 2000,
    log: deps.log,
    work: async (isStopped) => {
      if (isDone) return;
      let after: string | null = null;
      for (;;) {
        const wanted: { after: string | null; limit: number } = { after, limit: 500 };
        const tenantIds: string[] = await withPlatform(deps.database, 'tenants with mailboxes', (tx) =>
          listTenantsWithMailboxes(tx, wanted),
        );
        for (const tenantId of tenantIds) {
          if (isStopped()) return;
          await withTenant(deps.database, [tenantId], (tx) => reviewMailboxes(deps, tx, tenantId));
        }
        after = tenantIds.at(-1) ?? null;
        if (after === null) break;
      }
      isDone = true;
    },
  });
}
