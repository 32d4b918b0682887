import type { DataOf } from '@botyard/shared/bus/definition';
import type { DeliveryRecord } from '@botyard/shared/contracts/context-traces';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { replyCreated, turnCompleted } from '@botyard/shared/events/agents';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { deleteSummary } from '../../store/context/summaries.ts';
import { saveRefusals } from '../../store/figures/refusals.ts';
import { insertReply, insertTurn, type MessageRow, type NewTurn, saveStatus } from '../../store/messages.ts';
import { type ClaimedConversation, completeTurn } from '../../store/queue.ts';
import { type Answer, politeRefusal } from '../answers/answer.ts';
import { reservationOf } from '../answers/quota.ts';
import type { AdmittedTurn } from './admission.ts';
import { isToldAlready } from './once-an-hour.ts';

const idsOf = (turn: readonly MessageRow[]) => turn.map(({ messageId }) => messageId);
const seqAfter = (turn: readonly MessageRow[]) => Math.max(...turn.map(({ seq }) => seq)) + 1;
const newestOf = (turn: readonly MessageRow[]) =>
  new Date(Math.max(...turn.map(({ receivedAt }) => Number(receivedAt))));
const messagesOf = ({ heard, refused }: AdmittedTurn) => [...heard, ...refused.map(({ message }) => message)];

type TimedAnswer = Answer & { durationMs: number };

/**
 * Stores an answer, announces it and moves the conversation on, all or nothing; what a chat is told once in an hour, it
 * isn't told again. A worker that lost the conversation writes nothing: its answer is thrown away, the new holder's counts.
 */
export async function storeAnswer(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: AdmittedTurn,
  answered: TimedAnswer,
): Promise<void> {
  await withTenant(deps.database, [conversation.tenantId], async (tx) => {
    if (isOverheard(turn, answered) || (await isToldAlready(tx, conversation, answered.failure))) {
      return await endIgnored(deps, tx, { conversation, turn });
    }
    await endWithReply(deps, tx, { conversation, turn, answered });
  });
}

/** Nobody waits for an answer to what they said to nobody: where none came, there is no apology either. */
const isOverheard = ({ heard }: AdmittedTurn, { outcome, usage }: Answer): boolean =>
  outcome === 'apologized' &&
  usage.inputTokens + usage.outputTokens === 0 &&
  heard.every(({ isAddressed }) => !isAddressed);

interface Ended {
  conversation: ClaimedConversation;
  turn: AdmittedTurn;
  answered: TimedAnswer;
}

async function endWithReply(deps: Deps, tx: TenantTx, ended: Ended): Promise<void> {
  const { conversation, turn, answered } = ended;
  const replySeq = await completeTurn(tx, conversation, {
    nextSeq: seqAfter(messagesOf(turn)),
    stickyAgentId: answered.outcome === 'apologized' ? null : (answered.agent?.id ?? null),
    resetsContext: answered.resetsContext,
    hasReply: true,
  });
  if (replySeq === undefined) {
    // Either the person asked to stop meanwhile, or the conversation is another worker's, and nothing is written.
    return await endIgnored(deps, tx, { conversation, turn });
  }
  await write(deps, tx, ended, replySeq);
}

async function write(deps: Deps, tx: TenantTx, ended: Ended, replySeq: number): Promise<void> {
  const { conversation, turn, answered } = ended;
  const { tenantId, conversationId, botId, integrationId, place: chat } = conversation;
  const { text, outcome, key } = answered;
  const record = recordOf(ended);
  const { replyId, agentId } = record;
  const reply = {
    ...{ tenantId, botId, integrationId, conversationId, replyId, replySeq, chat, text },
    askedAt: newestOf(messagesOf(turn)).toISOString(),
    ...(turn.heard[0]?.command?.name === 'stop' ? { stopsEarlier: true } : {}),
  };
  // None needs another's result, so they are sent together.
  await Promise.all([
    saveStatus(tx, tenantId, idsOf(turn.heard), { status: 'answered', agentId }),
    keepRefused(tx, tenantId, turn),
    insertReply(tx, { tenantId, conversationId, messageId: replyId, seq: replySeq, text, agentId }),
    insertTurn(tx, record),
    answered.resetsContext ? deleteSummary(tx, { tenantId, conversationId }) : undefined,
    deps.outbox.emit(tx, replyCreated, reply),
    deps.outbox.emit(
      tx,
      turnCompleted,
      completionOf(record, {
        botId,
        keySource: key.source,
        outcome,
        reservationId: reservationOf(turn.heard),
      }),
    ),
  ]);
}

/** What was answered; of a turn in which nobody is heard, what the person was told about. */
function recordOf({ conversation, turn, answered }: Ended): NewTurn {
  const { outcome, agent, key, usage } = answered;
  return {
    tenantId: conversation.tenantId,
    turnId: uuidv7(),
    conversationId: conversation.conversationId,
    messageIds: idsOf(turn.heard.length > 0 ? turn.heard : messagesOf(turn)),
    replyId: uuidv7(),
    agentId: agent?.id ?? null,
    outcome,
    failure: answered.failure,
    triage: answered.triage,
    provider: agent?.provider ?? null,
    model: agent?.model ?? null,
    keyId: key.keyId,
    keySource: key.source,
    contextMessages: answered.context?.messages ?? 0,
    deliveries: deliveriesOf(turn),
    context: answered.context,
    keyAttempts: answered.keyAttempts,
    toolCalls: answered.toolCalls,
    ...usage,
    durationMs: Math.round(answered.durationMs),
  };
}

/** All that came together, in order: whose sender wasn't heard, too. */
function deliveriesOf({ heard, refused }: AdmittedTurn): DeliveryRecord[] {
  const told = ({ messageId, seq, receivedAt }: MessageRow) => ({
    messageId,
    seq,
    receivedAt: receivedAt.toISOString(),
  });
  const all = [...heard.map(told), ...refused.map(({ message, refusal }) => ({ ...told(message), refusal }))];
  return all.sort((left, right) => left.seq - right.seq);
}

async function keepRefused(tx: TenantTx, tenantId: string, { refused }: AdmittedTurn): Promise<void> {
  if (refused.length === 0) return;
  const rows = refused.map(({ message: { messageId }, refusal }) => ({ messageId, refusal }));
  await saveRefusals(tx, tenantId, rows);
}

/**
 * Ends a turn in which nobody is heard, in silence; but who writes in private without a grant is told so, at most once
 * per chat and hour.
 */
export async function refuseTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: AdmittedTurn,
): Promise<void> {
  const { tenantId } = conversation;
  const cause = 'private chat not granted';
  await withTenant(deps.database, [tenantId], async (tx) => {
    const mayTell = turn.refused.some(({ refusal }) => refusal === cause);
    if (mayTell && !(await isToldAlready(tx, conversation, cause))) {
      const answered = { ...politeRefusal(cause), durationMs: 0 };
      return await endWithReply(deps, tx, { conversation, turn, answered });
    }
    await endIgnored(deps, tx, { conversation, turn });
  });
}

/** Nobody is answered, and it is written down who was not heard. */
async function endIgnored(
  { log }: Deps,
  tx: TenantTx,
  { conversation, turn }: Pick<Ended, 'conversation' | 'turn'>,
): Promise<void> {
  const { tenantId, conversationId } = conversation;
  if (!(await endInSilence(tx, conversation, messagesOf(turn)))) {
    log.warn({ conversationId }, 'another worker has the conversation');
    return;
  }
  await saveStatus(tx, tenantId, idsOf(turn.heard), { status: 'ignored' });
  await keepRefused(tx, tenantId, turn);
}

function completionOf(
  record: NewTurn,
  known: Pick<DataOf<typeof turnCompleted>, 'botId' | 'keySource' | 'outcome' | 'reservationId'>,
): DataOf<typeof turnCompleted> {
  const { tenantId, conversationId, turnId, agentId, provider, model, keyId, durationMs } = record;
  const { inputTokens, outputTokens, isEstimated } = record;
  return {
    ...known,
    tenantId,
    conversationId,
    turnId,
    agentId,
    provider,
    model,
    keyId,
    inputTokens,
    outputTokens,
    isEstimated,
    toolCalls: record.toolCalls.length,
    completedAt: new Date().toISOString(),
    durationMs,
  };
}

/** Nobody answers: the bot is switched off or gone, or the answer is no longer wanted. */
export async function ignoreTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly MessageRow[],
  why?: string,
): Promise<void> {
  await endWithoutReply(deps, conversation, turn, { status: 'ignored', ...(why ? { lastError: why } : {}) });
}

/** Parks messages that can't be answered, with the reason, so that the conversation goes on (P0 2). */
export async function buryTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly MessageRow[],
  lastError: string,
): Promise<void> {
  await endWithoutReply(deps, conversation, turn, { status: 'dead', lastError });
}

async function endWithoutReply(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly MessageRow[],
  change: { status: 'ignored' | 'dead'; lastError?: string },
): Promise<void> {
  await withTenant(deps.database, [conversation.tenantId], async (tx) => {
    if (await endInSilence(tx, conversation, turn))
      await saveStatus(tx, conversation.tenantId, idsOf(turn), change);
  });
}

/** `false` when the conversation was lost: nothing may be written then. */
async function endInSilence(
  tx: TenantTx,
  conversation: ClaimedConversation,
  turn: readonly MessageRow[],
): Promise<boolean> {
  const replySeq = await completeTurn(tx, conversation, {
    nextSeq: seqAfter(turn),
    stickyAgentId: null,
    resetsContext: false,
    hasReply: false,
  });
  return replySeq !== undefined;
}
