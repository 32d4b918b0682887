import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { count, moment, number, orNull } from '@botyard/shared/db/expressions';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { type Allotment, allotmentValues, fairQueue, isQueueDue } from '@botyard/shared/work/fair-scheduler';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
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
 * same fence; `endTurns` lets only one of the two end the turn.
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

const depthText = typedSql`select ${columns({ waiting: count() })} from
  (select from agents.conversations where ready_at is not null limit 10000) c`;

/** Conversations that wait for an answer or for their time; 10,000 stands for more. */
export async function countReadyConversations(tx: PlatformTx): Promise<number> {
  const [row] = await tx.query({ name: 'agents.conversations.depth', text: depthText, values: [] });
  return row?.waiting ?? 0;
}
