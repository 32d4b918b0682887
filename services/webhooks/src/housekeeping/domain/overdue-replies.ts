import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { QueueDeps } from '../../delivery/deps.ts';
import { queueReplies } from '../../delivery/domain/queue.ts';
import type { Conversation } from '../../delivery/store/replies.ts';
import type { Deps } from '../deps.ts';
import { listOverdueConversations, passOver } from '../store/overdue-replies.ts';

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

/**
 * Continues without missing replies: their events became dead letters, and a conversation is not blocked for longer
 * than a message is retried (REQ-CHAT-2). A missing reply that arrives later is still sent.
 */
export async function passOverMissing(
  deps: QueueDeps,
  tx: TenantTx,
  conversation: Conversation,
): Promise<void> {
  const first = await passOver(tx, conversation);
  if (first) await queueReplies(deps, tx, [first]);
}
