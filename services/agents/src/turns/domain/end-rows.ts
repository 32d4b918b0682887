import { attentionNeeded, replyCreated, turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { DeliveryRecord } from '@botyard/contracts/http/context-traces';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import { v7 as uuidv7 } from 'uuid';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { isNotice } from '../../conversations/store/notice-positions.ts';
import { completionOf } from '../../models/domain/count-apart.ts';
import { reservationOf } from '../../models/domain/quota.ts';
import { personToAsk } from '../../rating-questions/domain/question-of-reply.ts';
import type { SealedRecording } from '../../recordings/domain/recording-keys.ts';
import type { Deps } from '../deps.ts';
import type { NewTurn, TurnEndRows } from '../store/turn-end-rows.ts';
import { type AdmittedTurn, messagesOf, type Reply, type TimedAnswer, type TurnEnd } from './turn-end.ts';

type Outbox = Pick<Deps, 'outbox'>;

const minuteMs = 60_000;

/** An identifier that is ordered by Postgres's clock, like those of messages. */
export const newId = (conversation: ClaimedConversation) => uuidv7({ msecs: conversation.nowMs() });

export const newestOf = (turn: readonly SaidRow[]) =>
  new Date(Math.max(...turn.map(({ receivedAt }) => Number(receivedAt))));

/** The position of a reply to these messages. */
export const placeOf = ({ nextSeq }: ClaimedConversation, turn: readonly SaidRow[]): number =>
  Math.max(...turn.map((message) => (isNotice(message) ? nextSeq - 1 : message.seq)));

/** The rows of a turn's end with its recording, and the events that announce it. */
export function rowsOf(
  deps: Outbox,
  conversation: ClaimedConversation,
  end: TurnEnd,
  recording: SealedRecording | null,
): TurnEndRows {
  if (end.kind === 'postponed') {
    const { waitMs, fault = null, triedMs = null } = end;
    return { ...nothing, conversation, waitMs, reason: fault, triedMs };
  }
  const ended = { ...nothing, conversation, ...endedMessages(end.turn) };
  if (end.kind === 'silence') {
    const { reason, isForStaff = false, unsent } = end;
    const events = unsent ? useOf(deps, conversation, end.turn, unsent) : [];
    return { ...ended, status: 'ignored', reason, isForStaff, events };
  }
  if (end.kind === 'dead') {
    const events = attentionTo(deps, conversation, 'dead letter', idsOf(end.turn.heard));
    return { ...ended, status: 'dead', reason: end.reason, tries: end.tries, events };
  }
  return { ...ended, ...replyOf(deps, conversation, end, recording), status: 'answered' };
}

const nothing: Omit<TurnEndRows, 'conversation'> = {
  messages: [],
  status: null,
  nextSeq: null,
  reason: null,
  tries: null,
  isForStaff: false,
  waitMs: null,
  triedMs: null,
  reply: null,
  events: [],
  eventsIfSilenced: [],
};

const idsOf = (turn: readonly SaidRow[]) => turn.map(({ messageId }) => messageId);

function endedMessages(turn: AdmittedTurn): Pick<TurnEndRows, 'messages' | 'nextSeq'> {
  const all = messagesOf(turn);
  const heard = turn.heard.map(({ messageId }) => ({ messageId, refusal: null }));
  const refused = turn.refused.map(({ message, refusal }) => ({ messageId: message.messageId, refusal }));
  return {
    messages: [...heard, ...refused],
    nextSeq: all.length > 0 ? Math.max(...all.map(({ seq }) => seq)) + 1 : null,
  };
}

/**
 * The reply, the record of the turn, and the events that announce both. The position of the reply has been known since
 * the turn was read: while the bot handles the chat, only the holder advances it, and a person who sends an undelivered
 * reply again.
 */
function replyOf(
  deps: Outbox,
  conversation: ClaimedConversation,
  { turn, bot, answer }: Reply,
  recording: SealedRecording | null,
): Pick<TurnEndRows, 'reply' | 'events' | 'eventsIfSilenced'> {
  const { tenantId, conversationId, botId, integrationId, place: chat, platform } = conversation;
  const { text, outcome, agent, tickets, leftOut, handover, choices, resetsContext } = answer;
  const record = {
    ...recordOf(conversation, turn, answer),
    ...(recording ? { turnId: recording.turnId } : {}),
  };
  const all = messagesOf(turn);
  const seq = conversation.nextReplySeq;
  const askedAt = newestOf(all);
  const announced = {
    tenantId,
    botId,
    integrationId,
    conversationId,
    platform,
    chat,
    text,
    replyId: record.replyId,
    replySeq: seq,
    askedAt: askedAt.toISOString(),
    answerUntil: new Date(askedAt.getTime() + bot.answerWithinMinutes * minuteMs).toISOString(),
    ...(choices === null ? {} : { choices }),
    ...(agent && outcome === 'answered' ? { isAnswer: true } : {}),
    ...(turn.heard[0]?.command?.name === 'stop' ? { stopsEarlier: true } : {}),
  };
  const completed = {
    ...record,
    botId,
    agentVersion: record.agentVersion ?? undefined,
    reservationId: reservationOf(turn.heard),
    // Calls that wait for an approval are counted when they have run.
    toolCalls: record.toolCalls.filter((call) => call.outcome !== 'waiting').length,
    completedAt: new Date().toISOString(),
  };
  const ticketIds = tickets.map(({ ticketId }) => ticketId);
  const handedOver = handover === null ? [] : idsOf(turn.heard).slice(0, 1);
  return {
    reply: {
      record,
      seq,
      afterSeq: placeOf(conversation, all),
      text,
      choices,
      stickyAgentId: outcome === 'apologized' ? null : (agent?.id ?? null),
      tickets,
      leftOut,
      handover,
      resetsContext,
      recording,
      askedPersonId: personToAsk({ conversation, bot, answer, heard: turn.heard }),
      ...sessionRowsOf(conversation, turn, answer),
    },
    events: [
      deps.outbox.draft(replyCreated, replyCreated.schema.parse(announced)),
      deps.outbox.draft(turnCompleted, turnCompleted.schema.parse(completed)),
      ...attentionTo(deps, conversation, 'approval', ticketIds),
      ...attentionTo(deps, conversation, 'handover', handedOver),
    ],
    eventsIfSilenced: useOf(deps, conversation, turn, answer),
  };
}

/** Asks a person to look at these tickets or messages. */
const attentionTo = (
  { outbox }: Outbox,
  { tenantId, conversationId }: ClaimedConversation,
  kind: DataOf<typeof attentionNeeded>['kind'],
  ids: readonly string[],
): OutboxRow[] => ids.map((id) => outbox.draft(attentionNeeded, { tenantId, conversationId, kind, id }));

/** The changes of a session by an answer. The first one of an agent decides its version there. */
function sessionRowsOf(
  conversation: ClaimedConversation,
  turn: AdmittedTurn,
  { agent, release, outcome }: TimedAnswer,
): Pick<NonNullable<TurnEndRows['reply']>, 'beginsSession' | 'sessionAgents' | 'releaseSession'> {
  const { sessionId, sessionAgents, tenantId, platform } = conversation;
  const beginsSession = sessionId === null;
  const isDecided = !agent || outcome === 'command' || sessionAgents[agent.id] !== undefined;
  if (isDecided) return { beginsSession, sessionAgents: beginsSession ? {} : null, releaseSession: null };
  const decision = release?.isCandidate ? release.releaseId : null;
  const account = turn.heard[0]?.sender?.platformUserId;
  const personId = account ? personIdOfAccount(tenantId, { platform, platformUserId: account }) : null;
  return {
    beginsSession,
    sessionAgents: { ...sessionAgents, [agent.id]: decision },
    releaseSession: release && { ...release, personId },
  };
}

/** Counts the use of an answer that isn't sent. */
function useOf(
  { outbox }: Outbox,
  { tenantId, botId, conversationId }: ClaimedConversation,
  turn: AdmittedTurn,
  { agent, key, usage }: TimedAnswer,
): OutboxRow[] {
  const reservationId = reservationOf(turn.heard);
  if (!agent || !reservationId || usage.inputTokens + usage.outputTokens === 0) return [];
  const { provider, model } = agent;
  const wanted = { tenantId, botId, provider };
  const used = completionOf({ wanted, conversationId, model, key, usage, reservationId });
  return [outbox.draft(turnCompleted, turnCompleted.schema.parse(used))];
}

/** The turn's record. If all senders were refused, it is about the messages that led to the notice. */
function recordOf(conversation: ClaimedConversation, turn: AdmittedTurn, answer: TimedAnswer): NewTurn {
  const { outcome, agent, key, usage, context } = answer;
  const messageIds = idsOf(turn.heard.length > 0 ? turn.heard : messagesOf(turn));
  return {
    tenantId: conversation.tenantId,
    turnId: newId(conversation),
    conversationId: conversation.conversationId,
    messageIds,
    replyId: newId(conversation),
    agentId: agent?.id ?? null,
    agentVersion: outcome === 'command' ? null : (agent?.version ?? null),
    sessionId: conversation.sessionId ?? messageIds[0] ?? null,
    outcome,
    failure: answer.failure,
    triage: answer.triage,
    provider: agent?.provider ?? null,
    model: agent?.model ?? null,
    keyId: key.keyId,
    keySource: key.source,
    contextMessages: context?.messages ?? 0,
    deliveries: deliveriesOf(turn),
    context,
    modelRecord: answer.record,
    keyAttempts: answer.keyAttempts,
    toolCalls: answer.toolCalls,
    ...usage,
    durationMs: Math.round(answer.durationMs),
  };
}

/** All messages that arrived together, in order, including those of refused senders. */
function deliveriesOf({ heard, refused }: AdmittedTurn): DeliveryRecord[] {
  const all = [...heard.map((message) => ({ message })), ...refused];
  return all
    .map(({ message: { messageId, seq, receivedAt }, ...refusal }) => ({
      messageId,
      seq,
      receivedAt: receivedAt.toISOString(),
      ...refusal,
    }))
    .sort((left, right) => left.seq - right.seq);
}
