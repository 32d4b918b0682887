import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { passOverMissing } from '../../delivery/domain/queue.ts';
import { listOverdueConversations } from '../../delivery/store/replies.ts';
import type { Deps } from '../deps.ts';
import { expireOriginals, prunes } from '../store/housekeeping.ts';

/** Removes rows that are no longer needed, in small batches. */
export function createHousekeeping({
  database,
  log,
  mailRetentionDays: days,
}: Pick<Deps, 'database' | 'log' | 'mailRetentionDays'>): Worker {
  const all = days === null ? prunes : [...prunes, expireOriginals(days)];
  return createPeriodic({
    name: 'housekeeping',
    everyMs: 600_000,
    log,
    work: async (isStopped) => {
      for (const deleteBatch of all) {
        while (!isStopped() && (await withPlatform(database, 'housekeeping', deleteBatch)) > 0);
      }
    },
  });
}

/** Continues conversations whose next reply never arrived. */
export function createOverdueReplies(deps: Deps): Worker {
  return createPeriodic({
    name: 'overdue replies',
    everyMs: 15_000,
    log: deps.log,
    work: async () => {
      const overdue = await withPlatform(deps.database, 'overdue replies', listOverdueConversations);
      for (const conversation of overdue) {
        deps.log.error(conversation, 'a reply is missing: its conversation continues without it');
        await withTenant(deps.database, [conversation.tenantId], (tx) =>
          passOverMissing(deps, tx, conversation),
        );
      }
    },
  });
}
