import type { Database } from '@botyard/shared/db/database';
import { SharedTransactions } from '@botyard/shared/db/shared-transactions';
import { type ConversationOfBot, getTurnViews, type TurnView } from '../../answering/store/turn-view.ts';
import { type AnsweredTurnRows, completeWithReplies } from '../store/answered.ts';
import type { Completed } from '../store/claims.ts';

/** Simultaneous turns share one transaction for reading, and one for ending. */
export interface SharedTurns {
  /** Reads the data for decisions about turns. */
  turnViews: SharedTransactions<ConversationOfBot, TurnView>;
  /** Ends turns that leave nothing but their reply. */
  turnEnds: SharedTransactions<AnsweredTurnRows, Completed>;
}

export const createSharedTurns = (database: Database): SharedTurns => ({
  turnViews: new SharedTransactions({
    database,
    of: ({ tenantId, conversationId }) => ({ tenantId, lockedId: conversationId }),
    ask: getTurnViews,
  }),
  turnEnds: new SharedTransactions({
    database,
    of: ({ held: { tenantId, conversationId } }) => ({ tenantId, lockedId: conversationId }),
    ask: completeWithReplies,
  }),
});
