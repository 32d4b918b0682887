import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { type Answer, politeRefusal } from '../../answering/domain/answer-record.ts';
import { leaveOut } from '../../answering/store/left-out.ts';
import { deleteSummary } from '../../answering/store/summaries.ts';
import { sayingTo } from '../../conversations/domain/phrases.ts';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { endMessages, type SaidRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../../deps.ts';
import { insertTickets } from '../../external-tools/store/tickets.ts';
import { countApartIn } from '../../models/domain/count-apart.ts';
import { reservationOf } from '../../models/domain/quota.ts';
import { takeConversation } from '../../takeover/store/handling.ts';
import { completeWithReplies } from '../store/answered.ts';
import { type Completed, completeTurn, getNextReplySeq } from '../store/claims.ts';
import type { AdmittedTurn, AnsweredTurn } from './admission.ts';
import { askForAttention } from './attention.ts';
import { isRepeatedNotice } from './repeated-notices.ts';
import {
  type Ended,
  idsOf,
  keepRefused,
  messagesOf,
  rowsOf,
  seqAfter,
  type TimedAnswer,
} from './write-answer.ts';

/**
 * Stores an answer, announces it and advances the conversation in one transaction; hourly notices are not repeated. A
 * worker that lost the conversation writes nothing: the new holder's answer counts.
 */
export async function storeAnswer(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: AnsweredTurn,
  answered: TimedAnswer,
): Promise<void> {
  const unsaid = async (tx: TenantTx) => {
    const completed = await endIgnored(tx, { conversation, turn });
    if (completed) await countUnsaid(deps, tx, { conversation, turn, answered });
    return completed;
  };
  const ended = { conversation, turn, answered };
  const store = async (tx: TenantTx) => {
    if (isOverheard(turn, answered) || (await isRepeatedNotice(tx, conversation, answered.failure)))
      return await unsaid(tx);
    return await endWithReply(deps, tx, ended);
  };
  const answer = () =>
    leavesOnlyReply(ended) ? isCompletedBeside(deps, ended) : isCompleted(deps, conversation, store);
  const isEnded =
    (await inFreePlace(deps, conversation, answer)) || (await isCompleted(deps, conversation, unsaid));
  if (!isEnded) warnOfLoss(deps, conversation);
}

/** Whether the statement of the reply is all that ends the turn, as for nearly every answer. */
const leavesOnlyReply = ({ turn, answered }: Ended): boolean =>
  answered.failure === null &&
  answered.handover === null &&
  !answered.resetsContext &&
  answered.leftOut === null &&
  turn.refused.length + answered.tickets.length === 0;

/** The same as `isCompleted`, in a transaction that also ends turns of other conversations. */
async function isCompletedBeside(deps: Deps, ended: Ended): Promise<boolean> {
  const rows = rowsOf(deps, ended);
  const completed = await deps.turnEnds.run(rows);
  if (!completed) return false;
  deps.outbox.publish(rows.events);
  if (completed.isReady) deps.wakeWorker();
  return true;
}

/** Counts the use of an answer that isn't sent, because the person stopped the turn meanwhile. */
async function countUnsaid(deps: Deps, tx: TenantTx, { conversation, turn, answered }: Ended): Promise<void> {
  const { tenantId, botId, conversationId } = conversation;
  const { agent, key, usage } = answered;
  const reservationId = reservationOf(turn.heard);
  if (!agent || !reservationId || usage.inputTokens + usage.outputTokens === 0) return;
  const { provider, model } = agent;
  const wanted = { tenantId, botId, provider };
  await countApartIn(deps, tx, { wanted, conversationId, model, key, usage, reservationId });
}

/** A message that was not addressed to the bot gets no apology when the model fails. */
const isOverheard = ({ heard }: AdmittedTurn, { outcome, usage }: Answer): boolean =>
  outcome === 'apologized' &&
  usage.inputTokens + usage.outputTokens === 0 &&
  heard.every(({ isAddressed }) => !isAddressed);

/** Ends a turn, without the reply if the person stopped it meanwhile. */
async function ending(
  deps: Deps,
  conversation: ClaimedConversation,
  ends: Record<'work' | 'ifStopped', (tx: TenantTx) => Promise<Completed>>,
): Promise<void> {
  const isEnded =
    (await inFreePlace(deps, conversation, () => isCompleted(deps, conversation, ends.work))) ||
    (await isCompleted(deps, conversation, ends.ifStopped));
  if (!isEnded) warnOfLoss(deps, conversation);
}

/**
 * Ends a turn with a reply. If another reply was sent again meanwhile, it has taken the position that was read at the
 * turn's beginning, so the next one is used.
 */
async function inFreePlace(
  { database }: Deps,
  conversation: ClaimedConversation,
  end: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await end();
  } catch (error) {
    if (!isUniqueViolation(error, 'messages_in_order')) throw error;
    const next = await withTenant(database, [conversation.tenantId], (tx) =>
      getNextReplySeq(tx, conversation),
    );
    conversation.nextReplySeq = next ?? conversation.nextReplySeq;
    return await end();
  }
}

/**
 * Ends a turn in one transaction. If more messages are pending in the conversation, the worker is woken. Returns
 * `false` when the turn could not be completed: then nothing is written.
 */
const isCompleted = (
  deps: Deps,
  { tenantId }: ClaimedConversation,
  work: (tx: TenantTx) => Promise<Completed>,
): Promise<boolean> =>
  withTenant(
    deps.database,
    [tenantId],
    async (tx) => {
      const completed = await work(tx);
      if (completed?.isReady) tx.afterCommit(() => deps.wakeWorker());
      return completed !== undefined;
    },
    { plansOnce: true },
  );

export const warnOfLoss = ({ log }: Deps, { conversationId }: ClaimedConversation) =>
  log.warn({ conversationId }, 'another worker has the conversation');

async function endWithReply(deps: Deps, tx: TenantTx, ended: Ended): Promise<Completed> {
  const { conversation, turn, answered } = ended;
  const { tenantId } = conversation;
  const { tickets, resetsContext, handover, leftOut } = answered;
  const rows = rowsOf(deps, ended);
  const [completed] = await completeWithReplies(tx, [rows]);
  if (!completed) return undefined;
  tx.afterCommit(() => deps.outbox.publish(rows.events));
  await Promise.all([
    keepRefused(tx, tenantId, turn),
    insertTickets(tx, tickets),
    askForAttention(deps, tx, conversation, {
      kind: 'approval',
      ids: tickets.map(({ ticketId }) => ticketId),
    }),
    resetsContext ? deleteSummary(tx, conversation) : undefined,
    leftOut === null ? undefined : leaveOut(tx, conversation, leftOut),
    handover === null ? undefined : handOver(deps, tx, ended, handover),
  ]);
  return completed;
}

/** Hands the chat over to staff at the agent's request, unassigned, and notifies subscribers. */
async function handOver(
  deps: Deps,
  tx: TenantTx,
  { conversation, turn }: Ended,
  handoverReason: string,
): Promise<void> {
  await takeConversation(tx, conversation, { assigneeStaffId: null, handoverReason });
  await askForAttention(deps, tx, conversation, { kind: 'handover', ids: idsOf(turn.heard).slice(0, 1) });
}

/**
 * Ends a turn whose senders are all refused, without a reply. Only a private sender without a grant is notified, at
 * most once per chat and hour.
 */
export async function refuseTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: AnsweredTurn,
): Promise<void> {
  const cause = 'private chat not granted';
  const inSilence = (tx: TenantTx) => endIgnored(tx, { conversation, turn });
  const work = async (tx: TenantTx) => {
    const mayTell = turn.refused.some(({ refusal }) => refusal === cause);
    if (!mayTell || (await isRepeatedNotice(tx, conversation, cause))) return await inSilence(tx);
    const say = sayingTo(turn.bot, messagesOf(turn));
    const answered = { ...politeRefusal(say, cause), durationMs: 0 };
    return await endWithReply(deps, tx, { conversation, turn, answered });
  };
  await ending(deps, conversation, { work, ifStopped: inSilence });
}

interface IgnoredTurn {
  turn: AdmittedTurn;
  /** It is left to the person who handles the chat. Its messages become context later. */
  isForStaff?: boolean;
  /** The reason why the answer is no longer wanted. */
  lastError?: string;
}

/** Ends a turn without an answer, and records the refused senders. */
async function endIgnored(
  tx: TenantTx,
  { conversation, turn, ...end }: Pick<Ended, 'conversation'> & IgnoredTurn,
): Promise<Completed> {
  const { tenantId } = conversation;
  const completed = await endInSilence(tx, conversation, messagesOf(turn));
  if (!completed) return undefined;
  await endMessages(tx, tenantId, idsOf(turn.heard), { status: 'ignored', ...end });
  await keepRefused(tx, tenantId, turn);
  return completed;
}

/** Ends a turn unanswered whose senders have been checked. */
export async function leaveUnanswered(
  deps: Deps,
  conversation: ClaimedConversation,
  ignored: IgnoredTurn,
): Promise<void> {
  const isEnded = await isCompleted(deps, conversation, (tx) => endIgnored(tx, { conversation, ...ignored }));
  if (!isEnded) warnOfLoss(deps, conversation);
}

/** Ends a turn unanswered before its senders are checked: the bot is disabled or deleted, or no answer is wanted. */
export async function ignoreTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly SaidRow[],
  why?: string,
): Promise<void> {
  await endWithoutReply(deps, conversation, turn, { status: 'ignored', ...(why ? { lastError: why } : {}) });
}

/** Parks messages that can't be answered, with the reason, so that the conversation continues (REQ-CHAT-2). */
export async function deadLetterTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly SaidRow[],
  cause: { lastError: string; tries: number },
): Promise<void> {
  await endWithoutReply(deps, conversation, turn, { status: 'dead', ...cause });
}

async function endWithoutReply(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly SaidRow[],
  end: Parameters<typeof endMessages>[3],
): Promise<void> {
  const isEnded = await isCompleted(deps, conversation, async (tx) => {
    const completed = await endInSilence(tx, conversation, turn);
    if (!completed) return undefined;
    await endMessages(tx, conversation.tenantId, idsOf(turn), end);
    if (end.status === 'dead')
      await askForAttention(deps, tx, conversation, { kind: 'dead letter', ids: idsOf(turn) });
    return completed;
  });
  if (!isEnded) warnOfLoss(deps, conversation);
}

/** Returns `undefined` when the conversation was lost: then nothing may be written. */
const endInSilence = (
  tx: TenantTx,
  conversation: ClaimedConversation,
  turn: readonly SaidRow[],
): Promise<Completed> =>
  completeTurn(tx, conversation, {
    nextSeq: seqAfter(turn),
    stickyAgentId: null,
    resetsContext: false,
    hasReply: false,
  });
