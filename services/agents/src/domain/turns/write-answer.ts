import type { DataOf } from '@botyard/shared/bus/definition';
import type { DeliveryRecord } from '@botyard/shared/contracts/context-traces';
import type { TenantTx } from '@botyard/shared/db/database';
import { replyCreated, turnCompleted } from '@botyard/shared/events/agents';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { deleteSummary } from '../../store/context/summaries.ts';
import { saveRefusals } from '../../store/figures/refusals.ts';
import { isNotice } from '../../store/integrations/notices.ts';
import { insertTickets } from '../../store/integrations/tickets.ts';
import { endMessages, insertReply, insertTurn, type MessageRow, type NewTurn } from '../../store/messages.ts';
import { type ClaimedConversation, databaseNowMs } from '../../store/queue/claims.ts';
import type { Answer } from '../answers/answer-record.ts';
import { reservationOf } from '../answers/quota.ts';
import type { AdmittedTurn, AnsweredTurn } from './admission.ts';

export type TimedAnswer = Answer & { durationMs: number };

export interface Ended {
  conversation: ClaimedConversation;
  turn: AnsweredTurn;
  answered: TimedAnswer;
}

export const idsOf = (turn: readonly MessageRow[]) => turn.map(({ messageId }) => messageId);
const minuteMs = 60_000;
export const newestOf = (turn: readonly MessageRow[]) =>
  new Date(Math.max(...turn.map(({ receivedAt }) => Number(receivedAt))));
export const messagesOf = ({ heard, refused }: AdmittedTurn) => [
  ...heard,
  ...refused.map(({ message }) => message),
];

/** An identifier that is ordered by the clock of Postgres, as those of messages are. */
export const newId = (conversation: ClaimedConversation) => uuidv7({ msecs: databaseNowMs(conversation) });

/** The position after which a reply to these messages stands. */
export function placeOf({ nextSeq }: ClaimedConversation, turn: readonly MessageRow[]): number {
  return Math.max(...turn.map((message) => (isNotice(message) ? nextSeq - 1 : message.seq)));
}

/**
 * Writes down an answer, what it took and who was not heard, and announces it. @throws when a message of the turn is not
 * waiting any more.
 */
export async function writeAnswer(deps: Deps, tx: TenantTx, ended: Ended): Promise<void> {
  const { conversation, turn, answered } = ended;
  const {
    tenantId,
    conversationId,
    botId,
    integrationId,
    place: chat,
    nextReplySeq: replySeq,
    platform,
  } = conversation;
  const { text, outcome, key } = answered;
  const record = recordOf(ended);
  const { replyId, agentId } = record;
  const askedAt = newestOf(messagesOf(turn));
  const reply = {
    ...{ tenantId, botId, integrationId, conversationId, replyId, replySeq, platform, chat, text },
    askedAt: askedAt.toISOString(),
    answerUntil: new Date(askedAt.getTime() + turn.bot.answerWithinMinutes * minuteMs).toISOString(),
    ...(turn.heard[0]?.command?.name === 'stop' ? { stopsEarlier: true } : {}),
  };
  const [endedCount] = await Promise.all([
    endMessages(tx, tenantId, idsOf(turn.heard), { status: 'answered', agentId }),
    keepRefused(tx, tenantId, turn),
    insertReply(tx, {
      ...{ tenantId, conversationId, messageId: replyId, seq: replySeq, text, agentId },
      afterSeq: placeOf(conversation, messagesOf(turn)),
    }),
    insertTurn(tx, record),
    insertTickets(tx, answered.tickets),
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
  if (endedCount < turn.heard.length) throw new Error('a message is gone, or was ended meanwhile');
}

/** What was answered; of a turn in which nobody is heard, what the person was told about. */
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

/** Notes who was not heard, and why. */
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
    // What waits for an approval is counted when it has run.
    toolCalls: record.toolCalls.filter((call) => call.outcome !== 'waiting').length,
    completedAt: new Date().toISOString(),
    durationMs,
  };
}
