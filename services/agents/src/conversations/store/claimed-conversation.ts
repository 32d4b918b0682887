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
 * A conversation that this worker holds, as it was when it was claimed. Only who holds it moves `nextReplySeq` on, and
 * people while they handle the chat.
 */
export interface ClaimedConversation extends Claimed {
  /** Since the first try of a turn that was put off, until it was claimed; 0 for any other. */
  triedMs: number;
  /**
   * When it was claimed, by the clock of Postgres, and by this process's own, which only measures what has passed
   * since.
   */
  claimedAt: Date;
  claimedAtMs: number;
}

/** The time by the clock of Postgres, in milliseconds: what several processes write is compared by this alone. */
export const databaseNowMs = ({ claimedAt, claimedAtMs }: ClaimedConversation): number =>
  Math.round(claimedAt.getTime() + performance.now() - claimedAtMs);
