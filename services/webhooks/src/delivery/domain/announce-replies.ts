import { replyDelivered } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { QueueDeps } from '../deps.ts';
import { type EndedReply, endReplies, type ReplyKey } from '../store/replies.ts';

/** Ends and announces those of these replies whose parts were all sent or given up, each once. */
export async function announceEnded(
  deps: Pick<QueueDeps, 'outbox'>,
  tx: TenantTx,
  replies: readonly ReplyKey[],
): Promise<void> {
  await announce(deps, tx, await endReplies(tx, replies));
}

/** Announces replies that this transaction has ended. */
export async function announce(
  { outbox }: Pick<QueueDeps, 'outbox'>,
  tx: TenantTx,
  ended: readonly EndedReply[],
): Promise<void> {
  if (ended.length === 0) return;
  const events = ended.map(({ hasFailed, lastError, ...reply }) => ({
    tenantId: reply.tenantId,
    botId: reply.botId,
    conversationId: reply.conversationId,
    replyId: reply.replyId,
    isUncertain: reply.isUncertain,
    platformMessageIds: reply.platformMessageIds,
    state: hasFailed ? ('failed' as const) : ('sent' as const),
    ...(lastError === null ? {} : { lastError }),
  }));
  await outbox.emitAll(tx, replyDelivered, events);
}
