import type { TenantTx } from '@botyard/shared/db/database';
import { replyDelivered } from '@botyard/shared/events/webhooks';
import type { Deps } from '../../deps.ts';
import { getReply, getReplyOutcome, type ReplyRow, saveReplyState } from '../../store/replies.ts';

/** Announces what became of a reply once all of its parts were sent or given up; only once. */
export async function announceIfDone(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  tenantId: string,
  replyId: string,
): Promise<void> {
  const outcome = await getReplyOutcome(tx, tenantId, replyId);
  if (!outcome.isDone) return;
  const reply = await getReply(tx, tenantId, replyId);
  if (!reply || reply.state === 'sent' || reply.state === 'failed') return;
  const state = outcome.hasFailed ? 'failed' : 'sent';
  await saveReplyState(tx, reply, state);
  await outbox.emit(tx, replyDelivered, {
    tenantId,
    botId: reply.botId,
    conversationId: reply.conversationId,
    replyId,
    state,
    platformMessageIds: outcome.platformMessageIds,
    isUncertain: outcome.isUncertain,
    ...(outcome.lastError === null ? {} : { lastError: outcome.lastError }),
  });
}

/** Ends a reply of which nothing was queued. */
export async function giveUpReply(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  reply: ReplyRow,
  lastError: string,
): Promise<void> {
  const { tenantId, botId, conversationId, replyId } = reply;
  await saveReplyState(tx, reply, 'failed');
  await outbox.emit(tx, replyDelivered, {
    tenantId,
    botId,
    conversationId,
    replyId,
    state: 'failed',
    platformMessageIds: [],
    isUncertain: false,
    lastError,
  });
}
