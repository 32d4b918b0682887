import type { DataOf } from '@botyard/shared/bus/definition';
import type { TenantTx } from '@botyard/shared/db/database';
import { replyDelivered } from '@botyard/shared/events/webhooks';
import type { Deps } from '../../deps.ts';
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
  const outcomes = await listReplyOutcomes(tx, tenantId, replyIds);
  await Promise.all(outcomes.map((reply) => announceIfDone(deps, tx, reply)));
}

async function announceIfDone(deps: SettleDeps, tx: TenantTx, reply: ReplyOutcome): Promise<void> {
  if (!reply.isDone || reply.state === 'sent' || reply.state === 'failed') return;
  const { platformMessageIds, isUncertain, lastError } = reply;
  const state = reply.hasFailed ? 'failed' : 'sent';
  const told = {
    state,
    platformMessageIds,
    isUncertain,
    ...(lastError === null ? {} : { lastError }),
  } as const;
  await Promise.all([saveReplyStates(tx, [reply], state), announce(deps, tx, reply, told)]);
}

/** Ends a reply of which nothing was queued. */
export async function giveUpReply(
  deps: SettleDeps,
  tx: TenantTx,
  reply: NewReply,
  lastError: string,
): Promise<void> {
  const told = { platformMessageIds: [], isUncertain: false, lastError };
  await Promise.all([
    saveReplyStates(tx, [reply], 'failed'),
    announce(deps, tx, reply, { state: 'failed', ...told }),
  ]);
}

async function announce(
  { outbox }: SettleDeps,
  tx: TenantTx,
  {
    tenantId,
    botId,
    conversationId,
    replyId,
  }: Pick<NewReply, 'tenantId' | 'botId' | 'conversationId' | 'replyId'>,
  told: Pick<DataOf<typeof replyDelivered>, 'state' | 'platformMessageIds' | 'isUncertain' | 'lastError'>,
): Promise<void> {
  await outbox.emit(tx, replyDelivered, { tenantId, botId, conversationId, replyId, ...told });
}
