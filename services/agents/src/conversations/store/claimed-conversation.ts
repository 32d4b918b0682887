import { alias } from '@botyard/shared/db/drizzle';
import { like, moment, notNull, number } from '@botyard/shared/db/expressions';
import { columns, pick, type RowOf } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { v7 as uuidv7 } from 'uuid';
import { conversations } from '../../store/schema.ts';

const q = alias(conversations, 'q');
/** The columns of a conversation `q` that a claim returns. */
const claimColumns = columns({
  ...pick(q, 'tenantId', 'conversationId', 'botId', 'integrationId', 'platform', 'place', 'ratingQuestionId'),
  ...pick(q, 'nextSeq', 'lastSeq', 'nextReplySeq', 'fence', 'claims', 'failures'),
  ...pick(q, 'stickyAgentId', 'summarizedUntil', 'sessionId'),
  /** None before the first answer of a session. */
  sessionAgents: notNull(
    like(
      conversations.sessionAgents,
      "case when q.session_id is null then '{}' else coalesce(q.session_agents, '{}') end",
    ),
  ),
  /** The time from the first attempt of a postponed turn to the claim; 0 for any other turn. */
  triedMs: number('greatest(0, coalesce(extract(epoch from now() - q.tried_since), 0)::float8 * 1000)'),
  claimedAt: moment('clock_timestamp()'),
});
export type ConversationClaim = RowOf<typeof claimColumns>;

/**
 * Conversations with messages that wait. The lease is short enough that a killed worker's conversations continue
 * within 10 s (P7). A claim clears `waiting_since`; messages that arrive during it set it again.
 */
export const conversationQueue: QueueTable<ConversationClaim> = {
  table: 'agents.conversations',
  key: ['tenantId', 'conversationId'],
  columns: claimColumns,
  leaseSeconds: 6,
  fence: 'fence',
  set: 'claims = q.claims + 1, waiting_since = null',
};

/**
 * A conversation that this worker has claimed, as read at the claim. `nextReplySeq` is advanced by the worker that
 * holds the claim, by people while they handle the chat, and by replies that are sent again.
 */
export interface ClaimedConversation extends ConversationClaim {
  /** The time by Postgres's clock, in milliseconds. Only this clock compares what several processes write. */
  nowMs(): number;
  /** A new identifier that is ordered by the same clock, like those of messages. */
  newId(): string;
}

/** Called right after the claim: this process's clock only measures the time since then. */
export function toClaimed(claim: ConversationClaim): ClaimedConversation {
  const aheadMs = claim.claimedAt.getTime() - performance.now();
  const nowMs = () => Math.round(performance.now() + aheadMs);
  return { ...claim, nowMs, newId: () => uuidv7({ msecs: nowMs() }) };
}
