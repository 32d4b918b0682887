import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { type ConversationClaim, claimColumns } from '../../conversations/store/claimed-conversation.ts';

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
