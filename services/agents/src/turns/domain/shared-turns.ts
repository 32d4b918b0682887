import type { Database } from '@botyard/shared/db/database';
import { SharedTransactions } from '@botyard/shared/db/shared-transactions';
import { type ConversationOfBot, getTurnViews, type TurnView } from '../../answering/store/turn-view.ts';
import { type EndedTurn, endTurns } from '../store/end-turns.ts';
import type { TurnEndRows } from '../store/turn-end-rows.ts';

/** Simultaneous turns share one transaction for reading, and one for ending. */
export interface SharedTurns {
  /** Reads the data for decisions about turns. */
  turnViews: SharedTransactions<ConversationOfBot, TurnView>;
  turnEnds: SharedTransactions<TurnEndRows, EndedTurn | undefined>;
}

export const createSharedTurns = (database: Database): SharedTurns => ({
  turnViews: new SharedTransactions({
    database,
    of: ({ tenantId, conversationId }) => ({ tenantId, lockedId: conversationId }),
    ask: getTurnViews,
  }),
  turnEnds: new SharedTransactions({
    database,
    of: ({ conversation: { tenantId, conversationId } }) => ({ tenantId, lockedId: conversationId }),
    ask: endTurns,
    looksAtResults: true,
  }),
});
