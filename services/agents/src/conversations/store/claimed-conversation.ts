import type { ConversationRow } from './messages.ts';

type Claimed = Pick<
  ConversationRow,
  | 'tenantId'
  | 'conversationId'
  | 'botId'
  | 'integrationId'
  | 'platform'
  | 'place'
  | 'nextSeq'
  | 'lastSeq'
  | 'nextReplySeq'
  | 'fence'
  | 'claims'
  | 'failures'
  | 'stickyAgentId'
  | 'summarizedUntil'
>;

/**
 * A conversation that this worker has claimed, as read at the claim. `nextReplySeq` is advanced by the worker that
 * holds the claim, by people while they handle the chat, and by replies that are sent again.
 */
export interface ClaimedConversation extends Claimed {
  /** The time from the first attempt of a postponed turn to the claim; 0 for any other turn. */
  triedMs: number;
  /**
   * The time of the claim by Postgres's clock, and by this process's clock, which only measures the time since then.
   */
  claimedAt: Date;
  claimedAtMs: number;
}

/** The time by Postgres's clock, in milliseconds. Only this clock compares what several processes write. */
export const databaseNowMs = ({ claimedAt, claimedAtMs }: ClaimedConversation): number =>
  Math.round(claimedAt.getTime() + performance.now() - claimedAtMs);
