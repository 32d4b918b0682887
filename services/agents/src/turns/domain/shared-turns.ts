import type { Database, TenantTx } from '@botyard/shared/db/database';
import { SharedTransactions } from '@botyard/shared/db/shared-transactions';
import type { Answer } from '../../answering/domain/answer-record.ts';
import { leaveOut } from '../../answering/store/left-out.ts';
import { deleteSummary } from '../../answering/store/summaries.ts';
import { type ConversationOfBot, getTurnViews, type TurnView } from '../../answering/store/turn-view.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { insertTickets } from '../../external-tools/store/tickets.ts';
import { rateReply } from '../../rating-questions/domain/rate-reply.ts';
import type { Rating } from '../../rating-questions/domain/rating-of-message.ts';
import { type AnswerToRate, scheduleQuestions } from '../../rating-questions/store/rating-questions.ts';
import { insertChange } from '../../takeover/store/changes.ts';
import { takeConversation } from '../../takeover/store/handling.ts';
import { type EndedTurn, endTurns, type TurnEndRows } from '../store/end-turns.ts';

/** Simultaneous turns share one transaction for reading, and one for ending. */
export interface SharedTurns {
  /** Reads the data for decisions about turns. */
  turnViews: SharedTransactions<ConversationOfBot, TurnView>;
  turnEnds: SharedTransactions<WholeEnd, EndedTurn | undefined>;
}

/** The rows of an end, and what follows from few of them. */
export interface WholeEnd extends TurnEndRows {
  messages: readonly SaidRow[];
  /** Its only message is this rating. */
  rating?: Rating | undefined;
  reply?: Pick<Answer, 'tickets' | 'leftOut' | 'handover' | 'resetsContext'> & {
    /** The person is asked later if it helped. */
    question: AnswerToRate | null;
  };
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
    ask: endWhole,
    looksAtResults: true,
  }),
});

async function endWhole(tx: TenantTx, ends: readonly WholeEnd[]): Promise<(EndedTurn | undefined)[]> {
  const consequences = ends.map(consequencesOf);
  if (ends.every(({ reply }, index) => consequences[index]?.length === 0 && !reply?.question)) tx.endsHere();
  const results = await endTurns(tx, ends);
  const isWritten = (_end: unknown, index: number) => results[index]?.isSilenced === false;
  await Promise.all(consequences.filter(isWritten).flatMap((all) => all.map((write) => write(tx))));
  const questions = ends.filter(isWritten).flatMap(({ reply }) => reply?.question ?? []);
  await scheduleQuestions(tx, questions);
  return results;
}

type Consequence = (tx: TenantTx) => Promise<unknown>;

/** Saves a rating, calls that wait for an approval, a forgotten context, and leaves a chat to staff. */
function consequencesOf({ conversation, messages, rating, reply }: WholeEnd): Consequence[] {
  const [message] = messages;
  if (rating && message) return [(tx) => rateReply(tx, conversation, message, rating)];
  if (!reply) return [];
  const { tickets, resetsContext, leftOut, handover } = reply;
  const all: Consequence[] = [];
  if (tickets.length > 0) all.push((tx) => insertTickets(tx, tickets));
  if (resetsContext) all.push((tx) => deleteSummary(tx, conversation));
  if (leftOut) all.push((tx) => leaveOut(tx, conversation, leftOut));
  if (handover !== null) all.push((tx) => handOver(tx, conversation, handover));
  return all;
}

async function handOver(
  tx: TenantTx,
  conversation: WholeEnd['conversation'],
  handoverReason: string,
): Promise<void> {
  await takeConversation(tx, conversation, { assigneeStaffId: null, handoverReason });
  await insertChange(tx, conversation, { kind: 'handed_over' });
}
