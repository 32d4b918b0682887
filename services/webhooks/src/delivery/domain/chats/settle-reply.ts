import type { DataOf } from '@botyard/shared/bus/definition';
import type { TenantTx } from '@botyard/shared/db/database';
import { replyDelivered } from '@botyard/shared/events/webhooks';
import type { Deps } from '../../../deps.ts';
import { listReplyOutcomes, type NewReply, type ReplyOutcome, saveReplyStates } from '../../store/replies.ts';

type SettleDeps = Pick<Deps, 'outbox'>;

/** Announces what became of replies of which all parts were sent or given up; of each only once. */
export async function announceDone(
  deps: SettleDeps,
  tx: TenantTx,
  tenantId: string,
  replyIds: readonly string[],
): Promise<void> {
  if (replyIds.length === 0) return;
  await announceOutcomes(deps, tx, await listReplyOutcomes(tx, tenantId, replyIds));
}

/** As `announceDone`, of what is known already. All that it writes is sent at once. */
export async function announceOutcomes(
  deps: SettleDeps,
  tx: TenantTx,
  outcomes: readonly ReplyOutcome[],
): Promise<void> {
  await Promise.all(outcomes.map((reply) => announceIfDone(deps, tx, reply)));
}

async function announceIfDone(deps: SettleDeps, tx: TenantTx, reply: ReplyOutcome): Promise<void> {
  if (!reply.isDone || reply.state === 'sent' || reply.state === 'failed') return;
  const { platformMessageIds, isUncertain, lastError } = reply;
  await endReply(deps, tx, reply, {
    state: reply.hasFailed ? 'failed' : 'sent',
    platformMessageIds,
    isUncertain,
    ...(lastError === null ? {} : { lastError }),
  });
}

/** Ends a reply of which nothing was queued. */
export async function giveUpReply(
  deps: SettleDeps,
  tx: TenantTx,
  reply: NewReply,
  lastError: string,
): Promise<void> {
  await endReply(deps, tx, reply, { state: 'failed', platformMessageIds: [], isUncertain: false, lastError });
}

type Told = Pick<DataOf<typeof replyDelivered>, 'state' | 'platformMessageIds' | 'isUncertain' | 'lastError'>;

/** Keeps and announces what became of a reply. Who calls it knows that nobody has done so before. */
export async function endReply(
  { outbox }: SettleDeps,
  tx: TenantTx,
  reply: Pick<NewReply, 'tenantId' | 'botId' | 'conversationId' | 'replyId'>,
  told: Told,
): Promise<void> {
  const { tenantId, botId, conversationId, replyId } = reply;
  await Promise.all([
    saveReplyStates(tx, [reply], told.state),
    outbox.emit(tx, replyDelivered, { tenantId, botId, conversationId, replyId, ...told }),
  ]);
}
