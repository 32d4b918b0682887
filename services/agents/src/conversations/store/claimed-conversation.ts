import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { PlatformName } from '@botyard/contracts/http/platform';

/** A conversation that this worker holds, as it was when it was claimed. */
export interface ClaimedConversation {
  tenantId: string;
  conversationId: string;
  botId: string;
  integrationId: string;
  platform: PlatformName;
  place: ChatPlace;
  nextSeq: number;
  lastSeq: number;
  /** Position of the next reply; only who holds the conversation moves it on, and people while they handle the chat. */
  nextReplySeq: number;
  fence: number;
  claims: number;
  failures: number;
  stickyAgentId: string | null;
  contextFrom: Date | null;
  /** The last message that the conversation's summary tells of. */
  summarizedUntil: string | null;
  /** Since the first try of a turn that was put off, until it was claimed; 0 for any other. */
  triedMs: number;
  /** When it was claimed, by the clock of Postgres, and by this process's own, which only measures what has passed since. */
  claimedAt: Date;
  claimedAtMs: number;
}

/** The time by the clock of Postgres, in milliseconds: what several processes write is compared by this alone. */
export const databaseNowMs = ({ claimedAt, claimedAtMs }: ClaimedConversation): number =>
  Math.round(claimedAt.getTime() + performance.now() - claimedAtMs);
