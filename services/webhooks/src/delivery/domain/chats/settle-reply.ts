import type { DataOf } from '@botyard/contracts/events/definition';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../../deps.ts';
import { listReplyOutcomes, type NewReply, type ReplyOutcome, saveReplyStates } from '../../store/replies.ts';

type SettleDeps = Pick<Deps, 'outbox'>;

/** Announces the outcome of replies whose parts were all sent or given up, once per reply. */
export async function announceDone(
  deps: SettleDeps,
  tx: TenantTx,
  tenantId: string,
  replyIds: readonly string[],
): Promise<void> {
  if (replyIds.length === 0) return;
  const replies = replyIds.map((replyId) => ({ tenantId, replyId }));
  await announceOutcomes(deps, tx, await listReplyOutcomes(tx, replies));
}

/** The same as `announceDone`, for known outcomes. All statements are sent together. */
export async function announceOutcomes(
  deps: SettleDeps,
  tx: TenantTx,
  outcomes: readonly ReplyOutcome[],
): Promise<void> {
  const open = outcomes.filter(({ isDone, state }) => isDone && state !== 'sent' && state !== 'failed');
  await endReplies(deps, tx, open.map(toEnded));
}

function toEnded(reply: ReplyOutcome): Ended {
  const { tenantId, botId, conversationId, replyId, platformMessageIds, isUncertain, lastError } = reply;
  return {
    tenantId,
    botId,
    conversationId,
    replyId,
    platformMessageIds,
    isUncertain,
    state: reply.hasFailed ? 'failed' : 'sent',
    ...(lastError === null ? {} : { lastError }),
  };
}

/** Ends a reply that has no queued parts. */
export async function giveUpReply(
  deps: SettleDeps,
  tx: TenantTx,
  reply: NewReply,
  lastError: string,
): Promise<void> {
  const { tenantId, botId, conversationId, replyId } = reply;
  const ended = { tenantId, botId, conversationId, replyId, lastError };
  await endReplies(deps, tx, [{ ...ended, state: 'failed', platformMessageIds: [], isUncertain: false }]);
}

type Ended = DataOf<typeof replyDelivered>;

/** Saves and announces the outcome of replies. The caller knows that this wasn't done before. */
async function endReplies({ outbox }: SettleDeps, tx: TenantTx, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  await Promise.all([saveReplyStates(tx, ended), outbox.emitAll(tx, replyDelivered, ended)]);
}
