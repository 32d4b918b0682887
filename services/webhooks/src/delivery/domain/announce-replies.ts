import { replyDelivered } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { QueueDeps } from '../deps.ts';
import {
  type EndedReply,
  endReplies,
  type NewReply,
  type ReplyKey,
  saveReplyStates,
} from '../store/replies.ts';

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
  const events = ended.map(({ hasFailed, lastError, ...reply }) => ({
    ...reply,
    state: hasFailed ? ('failed' as const) : ('sent' as const),
    ...(lastError === null ? {} : { lastError }),
  }));
  await outbox.emitAll(tx, replyDelivered, events);
}

/** Ends and announces replies that have no parts, with their reasons. */
export async function giveUpReplies(
  deps: Pick<QueueDeps, 'outbox'>,
  tx: TenantTx,
  refused: readonly { reply: Omit<NewReply, 'state'>; reason: string }[],
): Promise<void> {
  if (refused.length === 0) return;
  const ended = refused.map(({ reply: { tenantId, botId, conversationId, replyId }, reason }) => ({
    tenantId,
    botId,
    conversationId,
    replyId,
    hasFailed: true,
    isUncertain: false,
    platformMessageIds: [],
    lastError: reason,
  }));
  const states = ended.map(({ tenantId, replyId }) => ({ tenantId, replyId, state: 'failed' as const }));
  await Promise.all([saveReplyStates(tx, states), announce(deps, tx, ended)]);
}
