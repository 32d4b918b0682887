import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean, count, moment, number, orNull } from '@botyard/shared/db/expressions';
import { type Rows, unnest } from '@botyard/shared/db/named-values';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { type Allotment, allotmentValues, fairQueue, isQueueDue } from '@botyard/shared/work/fair-scheduler';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { lastNotice } from '../../external-tools/store/notices.ts';
import { conversations } from '../../store/schema.ts';

/**
 * Renewed after a third of this time. It is short enough that a killed worker's conversations continue within 10 s
 * (P7).
 */
export const leaseSeconds = 6;
export const leaseEnd = `now() + make_interval(secs => ${leaseSeconds})`;

const c = alias(conversations, 'c');
/** The columns of a conversation `c` that a claim returns. */
export const claimedColumns = {
  ...pick(c, 'tenantId', 'conversationId', 'botId', 'integrationId', 'platform', 'place', 'nextSeq'),
  ...pick(c, 'lastSeq', 'nextReplySeq', 'fence', 'claims', 'failures', 'stickyAgentId', 'summarizedUntil'),
  triedMs: orNull(number('extract(epoch from now() - c.tried_since)::float8 * 1000')),
  claimedAt: moment('clock_timestamp()'),
};
const claimed = columns(claimedColumns);

const table = 'agents.conversations';

export const isConversationDue = isQueueDue(table);

const { fair, lone } = fairQueue({ table, key: 'tenant_id, conversation_id' });

const claimOf = (due: string) => typedSql`${due} update agents.conversations c set lease_until = ${leaseEnd},
    fence = c.fence + 1, claims = c.claims + 1, waiting_since = null
  from due where c.tenant_id = due.tenant_id and c.conversation_id = due.conversation_id
  returning ${claimed}`;
const claimText = claimOf(fair);
const claimOfLoneText = claimOf(lone);

/**
 * Claims ready conversations: fairly among tenants, and for each tenant those that have waited longest. `waiting_since`
 * is cleared, and set again by messages that arrive during the claim.
 *
 * The commit needn't be durable. If a database crash undoes a claim, the conversation can be claimed twice with the
 * same fence; `completeTurn` lets only one of the two end the turn.
 */
export async function claimConversations(
  tx: PlatformTx,
  allotment: Allotment,
): Promise<ClaimedConversation[]> {
  const values = allotmentValues(allotment);
  return toClaimed(await tx.query({ name: 'agents.conversations.claim', text: claimText, values }));
}

/** Claims more conversations if only one tenant has ready ones, and none otherwise. */
export async function claimConversationsOfLone(
  tx: PlatformTx,
  limit: number,
): Promise<ClaimedConversation[]> {
  const statement = { name: 'agents.conversations.claim_lone', text: claimOfLoneText, values: { limit } };
  return toClaimed(await tx.query(statement));
}

export function toClaimed(rows: readonly RowOf<typeof claimed>[]): ClaimedConversation[] {
  const claimedAtMs = performance.now();
  return rows.map((row) => ({ ...row, triedMs: Math.max(0, row.triedMs ?? 0), claimedAtMs }));
}

type Held = Pick<ClaimedConversation, 'tenantId' | 'conversationId' | 'fence'>;
const heldKey = ({ tenantId, conversationId, fence }: Held) => ({ tenantId, conversationId, fence });
const isHeld = 'tenant_id = $tenantId and conversation_id = $conversationId and fence = $fence';

/** Returns `false` if another worker has claimed the conversation or it was released. It must not be renewed then. */
export async function renewLease(tx: PlatformTx, held: Held): Promise<boolean> {
  return await tx.has({
    name: 'agents.conversations.renew',
    text: `update agents.conversations set lease_until = ${leaseEnd}
           where ${isHeld} and lease_until is not null
           returning 1`,
    values: heldKey(held),
  });
}

/** The outcome of a turn for its conversation. */
export interface Completion {
  nextSeq: number;
  stickyAgentId: string | null;
  resetsContext: boolean;
  hasReply: boolean;
}

/**
 * Whether the conversation is ready again. `undefined` means that the turn was not completed, and nothing may be
 * written.
 */
export type Completed = { isReady: boolean } | undefined;

type HeldTurn = Held & Pick<ClaimedConversation, 'nextSeq'>;

const readiness = columns({ isReady: boolean('c.ready_at is not null') });

const { tenantId, conversationId, fence, nextSeq, stickyAgentId } = conversations;
export const completionColumns = {
  tenantId,
  conversationId,
  fence,
  nextSeq,
  stickyAgentId,
  turnSeq: 'bigint',
  resetsContext: 'boolean',
  hasReply: 'boolean',
};
const completed = unnest('turn', completionColumns);

/**
 * Completes the turns of the relation `turn`, which has `completionColumns`. Conversations are locked in the order of
 * its rows.
 */
export const completing = (turns: Rows<string>) => `update agents.conversations c
  set next_seq = greatest(c.next_seq, turn.next_seq), lease_until = null, claims = 0,
    failures = 0, last_error = null, tried_since = null,
    sticky_agent_id = coalesce(turn.sticky_agent_id, c.sticky_agent_id),
    context_from = case when turn.resets_context then now() else c.context_from end,
    summarized_until = case when turn.resets_context then null else c.summarized_until end,
    next_reply_seq = c.next_reply_seq + turn.has_reply::int,
    ready_at = case when c.waiting_since is not null or c.last_seq >= greatest(c.next_seq, turn.next_seq)
      or exists (select from agents.messages m where m.tenant_id = c.tenant_id
        and m.conversation_id = c.conversation_id and m.direction = 'in' and m.seq >= turn.next_seq
        and m.status = 'queued') then c.ready_at end
  from ${turns}
  where c.tenant_id = turn.tenant_id and c.conversation_id = turn.conversation_id and c.fence = turn.fence
    and c.next_seq = turn.turn_seq
    and not (turn.has_reply and turn.next_seq > ${lastNotice} and coalesce(c.stopped_seq, 0) >= turn.next_seq)
    and not (turn.has_reply and coalesce(c.muted_fence, 0) >= turn.fence)`;

export const completionOf = (held: HeldTurn, turn: Completion) => ({
  ...heldKey(held),
  nextSeq: turn.nextSeq,
  stickyAgentId: turn.stickyAgentId,
  resetsContext: turn.resetsContext,
  hasReply: turn.hasReply,
  turnSeq: held.nextSeq,
});

/**
 * Ends a turn: advances to `nextSeq` and releases the conversation, which is ready again if more messages are pending.
 *
 * It is not completed when another worker has claimed the conversation or has ended this turn. A turn with a reply
 * isn't completed either once the person has stopped it (except for a turn with a notice) or somebody has taken the
 * chat over.
 */
export async function completeTurn(tx: TenantTx, held: HeldTurn, turn: Completion): Promise<Completed> {
  return await tx.first({
    name: 'agents.conversations.complete',
    text: completeText,
    values: completed.values([completionOf(held, turn)]),
  });
}

const completeText = typedSql`${completing(completed)} returning ${readiness}`;

const delayedText = typedSql`update agents.conversations c
  set next_reply_seq = c.next_reply_seq + 1, delayed_message_id = $firstMessageId
  where ${isHeld} and next_seq = $nextSeq
    and lease_until is not null and delayed_message_id is distinct from $firstMessageId
    and coalesce(c.stopped_seq, 0) <= $nextSeq and coalesce(c.muted_fence, 0) < $fence
  returning ${columns({ replySeq: number('c.next_reply_seq - 1') })}`;

/**
 * Takes the next reply position for a notice during the turn that begins with this message, and returns it. It succeeds
 * once per turn, for the worker that holds the conversation, while the person hasn't stopped the turn and the bot
 * handles the chat.
 */
export async function claimDelayNotice(
  tx: TenantTx,
  held: HeldTurn,
  firstMessageId: string,
): Promise<number | undefined> {
  const claimed = await tx.first({
    name: 'agents.conversations.delayed',
    text: delayedText,
    values: { ...heldKey(held), nextSeq: held.nextSeq, firstMessageId },
  });
  return claimed?.replySeq;
}

const nextReplyText = typedSql`select ${columns({ nextReplySeq: conversations.nextReplySeq })} from agents.conversations
  where tenant_id = $tenantId and conversation_id = $conversationId`;

/** The position of the conversation's next reply; `undefined` if it no longer exists. */
export async function getNextReplySeq(
  tx: TenantTx,
  { tenantId, conversationId }: Omit<Held, 'fence'>,
): Promise<number | undefined> {
  const row = await tx.first({
    name: 'agents.conversations.next_reply',
    text: nextReplyText,
    values: { tenantId, conversationId },
  });
  return row?.nextReplySeq;
}

const restText = typedSql`update agents.conversations c set lease_until = null, claims = 0, tried_since = null,
    failures = 0, last_error = null,
    ready_at = case when c.waiting_since is not null then c.ready_at end
  where ${isHeld} returning ${readiness}`;

/** Releases a conversation in which nothing is pending. Returns `true` if something has arrived since the claim. */
export async function restConversation(tx: TenantTx, held: Held): Promise<boolean> {
  const [row] = await tx.query({ name: 'agents.conversations.rest', text: restText, values: heldKey(held) });
  return row?.isReady ?? false;
}

interface Release {
  waitMs: number;
  countsClaim: boolean;
  error?: string;
  triedMs?: number;
}

/**
 * Releases the conversation unanswered: it is ready again after `waitMs`. A claim that was no attempt isn't counted.
 * For a postponed turn, `triedMs` is the time since its first attempt.
 */
export async function releaseConversation(
  tx: TenantTx,
  held: Held,
  { waitMs, countsClaim, error, triedMs }: Release,
): Promise<void> {
  await tx.query({
    name: 'agents.conversations.release',
    text: `update agents.conversations c set lease_until = null, ready_at = now() + make_interval(secs => $waitMs::float8 / 1000),
             claims = c.claims - case when $countsClaim then 0 else 1 end,
             failures = c.failures + case when $error::text is null then 0 else 1 end, last_error = coalesce($error, c.last_error),
             tried_since = now() - make_interval(secs => $triedMs::float8 / 1000)
           where ${isHeld}`,
    values: { ...heldKey(held), waitMs, countsClaim, error: error ?? null, triedMs: triedMs ?? null },
  });
}

const depthText = typedSql`select ${columns({ waiting: count() })} from
  (select from agents.conversations where ready_at is not null limit 10000) c`;

/** Conversations that wait for an answer or for their time; 10,000 stands for more. */
export async function countReadyConversations(tx: PlatformTx): Promise<number> {
  const [row] = await tx.query({ name: 'agents.conversations.depth', text: depthText, values: [] });
  return row?.waiting ?? 0;
}
