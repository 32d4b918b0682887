import { replyCreated, turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { DeliveryRecord } from '@botyard/contracts/http/context-traces';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { Answer } from '../../answering/domain/answer-record.ts';
import { type ClaimedConversation, databaseNowMs } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../../deps.ts';
import { isNotice } from '../../external-tools/store/notices.ts';
import { reservationOf } from '../../models/domain/quota.ts';
import { saveRefusals } from '../../statistics/store/refusals.ts';
import type { AnsweredTurnRows, NewTurn } from '../store/answered.ts';
import type { AdmittedTurn, AnsweredTurn } from './admission.ts';

export type TimedAnswer = Answer & { durationMs: number };

export interface Ended {
  conversation: ClaimedConversation;
  turn: AnsweredTurn;
  answered: TimedAnswer;
}

export const idsOf = (turn: readonly SaidRow[]) => turn.map(({ messageId }) => messageId);
const minuteMs = 60_000;
export const newestOf = (turn: readonly SaidRow[]) =>
  new Date(Math.max(...turn.map(({ receivedAt }) => Number(receivedAt))));
export const messagesOf = ({ heard, refused }: AdmittedTurn) => [
  ...heard,
  ...refused.map(({ message }) => message),
];

/** An identifier that is ordered by Postgres's clock, like those of messages. */
export const newId = (conversation: ClaimedConversation) => uuidv7({ msecs: databaseNowMs(conversation) });

export const seqAfter = (turn: readonly SaidRow[]) => Math.max(...turn.map(({ seq }) => seq)) + 1;

/** The position of a reply to these messages. */
export function placeOf({ nextSeq }: ClaimedConversation, turn: readonly SaidRow[]): number {
  return Math.max(...turn.map((message) => (isNotice(message) ? nextSeq - 1 : message.seq)));
}

/**
 * The rows of an answer: the reply, the record of the turn, and the events that announce both. The position of the
 * reply has been known since the turn was read: while the bot handles the chat, only the holder advances it, and a
 * person who sends an undelivered reply again.
 */
export function rowsOf({ outbox }: Deps, ended: Ended): AnsweredTurnRows {
  const { conversation, turn, answered } = ended;
  const { tenantId, conversationId, botId, integrationId, place: chat, platform } = conversation;
  const { text, outcome, agent, key, resetsContext } = answered;
  const record = recordOf(ended);
  const all = messagesOf(turn);
  const askedAt = newestOf(all);
  const reply = { text, seq: conversation.nextReplySeq, afterSeq: placeOf(conversation, all) };
  const announced = {
    tenantId,
    botId,
    integrationId,
    conversationId,
    platform,
    chat,
    text,
    replyId: record.replyId,
    replySeq: reply.seq,
    askedAt: askedAt.toISOString(),
    answerUntil: new Date(askedAt.getTime() + turn.bot.answerWithinMinutes * minuteMs).toISOString(),
    ...(turn.heard[0]?.command?.name === 'stop' ? { stopsEarlier: true } : {}),
  };
  const keySource = key.source;
  const completed = completionOf(record, {
    botId,
    keySource,
    outcome,
    reservationId: reservationOf(turn.heard),
  });
  const stickyAgentId = outcome === 'apologized' ? null : (agent?.id ?? null);
  return {
    held: conversation,
    end: { nextSeq: seqAfter(all), stickyAgentId, resetsContext, hasReply: true },
    answeredIds: idsOf(turn.heard),
    record,
    reply,
    events: [
      outbox.draft(replyCreated, replyCreated.schema.parse(announced)),
      outbox.draft(turnCompleted, turnCompleted.schema.parse(completed)),
    ],
  };
}

/** The turn's record. If all senders were refused, it is about the messages that led to the notice. */
function recordOf({ conversation, turn, answered }: Ended): NewTurn {
  const { outcome, agent, key, usage } = answered;
  return {
    tenantId: conversation.tenantId,
    turnId: newId(conversation),
    conversationId: conversation.conversationId,
    messageIds: idsOf(turn.heard.length > 0 ? turn.heard : messagesOf(turn)),
    replyId: newId(conversation),
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
    modelRecord: answered.record,
    keyAttempts: answered.keyAttempts,
    toolCalls: answered.toolCalls,
    ...usage,
    durationMs: Math.round(answered.durationMs),
  };
}

/** All messages that arrived together, in order, including those of refused senders. */
function deliveriesOf({ heard, refused }: AdmittedTurn): DeliveryRecord[] {
  const recordOfMessage = ({ messageId, seq, receivedAt }: SaidRow) => ({
    messageId,
    seq,
    receivedAt: receivedAt.toISOString(),
  });
  const all = [
    ...heard.map(recordOfMessage),
    ...refused.map(({ message, refusal }) => ({ ...recordOfMessage(message), refusal })),
  ];
  return all.sort((left, right) => left.seq - right.seq);
}

/** Records the refused senders, with the reasons. */
export async function keepRefused(tx: TenantTx, tenantId: string, { refused }: AdmittedTurn): Promise<void> {
  if (refused.length === 0) return;
  const rows = refused.map(({ message: { messageId }, refusal }) => ({ messageId, refusal }));
  await saveRefusals(tx, tenantId, rows);
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
    // Calls that wait for an approval are counted when they have run.
    toolCalls: record.toolCalls.filter((call) => call.outcome !== 'waiting').length,
    completedAt: new Date().toISOString(),
    durationMs,
  };
}
