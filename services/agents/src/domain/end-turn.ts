import type { DataOf } from '@botyard/shared/bus/definition';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { replyCreated, turnCompleted } from '@botyard/shared/events/agents';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { insertReply, insertTurn, type MessageRow, type NewTurn, saveStatus } from '../store/messages.ts';
import { type ClaimedConversation, completeTurn } from '../store/queue.ts';
import type { Answer } from './answer.ts';

const idsOf = (turn: readonly MessageRow[]) => turn.map(({ messageId }) => messageId);
const seqAfter = (turn: readonly MessageRow[]) => turn.at(-1)!.seq + 1;

/**
 * Stores an answer, announces it and moves the conversation on, all or nothing. A worker that lost the conversation
 * writes nothing: its answer is thrown away, the new holder's counts.
 */
export async function storeAnswer(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly MessageRow[],
  answered: Answer,
  durationMs: number,
): Promise<void> {
  await withTenant(deps.database, [conversation.tenantId], async (tx) => {
    const replySeq = await completeTurn(tx, conversation, {
      nextSeq: seqAfter(turn),
      stickyAgentId: answered.outcome === 'answered' ? (answered.agent?.id ?? null) : null,
      resetsContext: answered.resetsContext,
      hasReply: true,
    });
    if (replySeq === undefined) {
      deps.log.warn({ conversationId: conversation.conversationId }, 'another worker has the conversation');
      return;
    }
    await write(deps, tx, { conversation, turn, answered, replySeq, durationMs: Math.round(durationMs) });
  });
}

interface Ended {
  conversation: ClaimedConversation;
  turn: readonly MessageRow[];
  answered: Answer;
  replySeq: number;
  durationMs: number;
}

async function write(deps: Deps, tx: TenantTx, ended: Ended): Promise<void> {
  const { conversation, turn, answered, replySeq, durationMs } = ended;
  const { tenantId, conversationId, botId, integrationId, place: chat } = conversation;
  const { text, outcome, agent, key, usage } = answered;
  const replyId = uuidv7();
  const turnId = uuidv7();
  const agentId = agent?.id ?? null;
  const record: NewTurn = {
    tenantId,
    turnId,
    conversationId,
    messageIds: idsOf(turn),
    replyId,
    agentId,
    outcome,
    failure: answered.failure,
    triage: answered.triage,
    provider: agent?.provider ?? null,
    model: agent?.model ?? null,
    keyId: key.keyId,
    keySource: key.source,
    contextMessages: answered.contextMessages,
    ...usage,
    durationMs,
  };
  const reply = { tenantId, botId, integrationId, conversationId, replyId, replySeq, chat, text };
  // None needs another's result, so they are sent together.
  await Promise.all([
    saveStatus(tx, tenantId, idsOf(turn), { status: 'answered', agentId }),
    insertReply(tx, { tenantId, conversationId, messageId: replyId, seq: replySeq, text, agentId }),
    insertTurn(tx, record),
    deps.outbox.emit(tx, replyCreated, reply),
    deps.outbox.emit(tx, turnCompleted, completionOf(record, { botId, keySource: key.source, outcome })),
  ]);
}

function completionOf(
  record: NewTurn,
  known: Pick<DataOf<typeof turnCompleted>, 'botId' | 'keySource' | 'outcome'>,
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
    toolCalls: 0,
    completedAt: new Date().toISOString(),
    durationMs,
  };
}

/** Nobody answers: the bot is switched off or gone. */
export async function ignoreTurn(
  deps: Deps,
  conversation: ClaimedConversation,
  turn: readonly MessageRow[],
): Promise<void> {
  await endWithoutReply(deps, conversation, turn, { status: 'ignored' });
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
    const isHeld = await completeTurn(tx, conversation, {
      nextSeq: seqAfter(turn),
      stickyAgentId: null,
      resetsContext: false,
      hasReply: false,
    });
    if (isHeld !== undefined) await saveStatus(tx, conversation.tenantId, idsOf(turn), change);
  });
}
