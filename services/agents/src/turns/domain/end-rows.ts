import { attentionNeeded, replyCreated, turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { placeAfter } from '../../conversations/store/notice-positions.ts';
import { completionOf } from '../../models/domain/count-apart.ts';
import { reservationOf } from '../../models/domain/quota.ts';
import { isAskedAbout } from '../../rating-questions/domain/question-of-reply.ts';
import type { Deps } from '../deps.ts';
import type { NewTurn, TurnEndRows } from '../store/end-turns.ts';
import type { WholeEnd } from './shared-turns.ts';
import { heardIn, type Reply, type TimedAnswer, type TurnEnd } from './turn-end.ts';

type Outbox = Pick<Deps, 'outbox'>;

const minuteMs = 60_000;

export const newestOf = (messages: readonly SaidRow[]) =>
  new Date(Math.max(...messages.map(({ receivedAt }) => Number(receivedAt))));

/** A turn's identifier, and the columns of its recording, if it has one. */
export type RecordingColumns = Pick<
  TurnEndRows['row'],
  'recordingKeyId' | 'sealedKey' | 'sealedRecording'
> & {
  turnId: string;
};

/** The rows of a turn's end with its recording, and the events that announce it. */
export function rowsOf(
  deps: Outbox,
  conversation: ClaimedConversation,
  end: TurnEnd,
  recording: RecordingColumns,
): WholeEnd {
  const nothing = { conversation, messages: [], events: [], eventsIfSilenced: [] };
  if (end.kind === 'postponed') {
    const { waitMs, triedMs, reason } = end;
    return { ...nothing, row: { waitMs, triedMs, reason } };
  }
  const { messages } = end;
  const last = messages.at(-1);
  const nextSeq = last && last.seq + 1;
  if (end.kind === 'reply') {
    const { row, ...reply } = rowsOfReply(deps, conversation, end, recording);
    return { conversation, messages, row: { ...row, status: 'answered', nextSeq }, ...reply };
  }
  const { reason } = end;
  if (end.kind === 'dead') {
    const letters = messages.map(({ messageId: id }) => ({ kind: 'dead letter' as const, id }));
    const events = attentionTo(deps, conversation, letters);
    return { ...nothing, messages, events, row: { status: 'dead', nextSeq, reason, tries: end.tries } };
  }
  const { isForStaff, unsent, rating } = end;
  const events = unsent ? useOf(deps, conversation, messages, unsent) : [];
  return { ...nothing, messages, events, rating, row: { status: 'ignored', nextSeq, reason, isForStaff } };
}

/**
 * The reply, the record of the turn, and the events that announce both. The position of the reply has been known since
 * the turn was read: while the bot handles the chat, only the holder advances it, and a person who sends an undelivered
 * reply again.
 */
function rowsOfReply(
  deps: Outbox,
  conversation: ClaimedConversation,
  { messages, bot, answer }: Reply,
  recording: RecordingColumns,
): Omit<WholeEnd, 'conversation' | 'messages'> {
  const { tenantId, platform, place, nextSeq, nextReplySeq: seq } = conversation;
  const { text, outcome, agent, tickets, handover, choices, resetsContext } = answer;
  const heard = heardIn(messages);
  const [first] = heard;
  const record = recordOf(conversation, messages, answer, recording.turnId);
  const platformUserId = first?.sender?.platformUserId;
  const personId = platformUserId ? personIdOfAccount(tenantId, { platform, platformUserId }) : null;
  const isAsked = bot.asksForRating && isAskedAbout(answer, { platform, place });
  const { conversationId, replyId } = record;
  const question = isAsked && personId ? { tenantId, conversationId, personId, replyId } : null;
  const completed = {
    ...record,
    botId: conversation.botId,
    agentVersion: record.agentVersion ?? undefined,
    reservationId: reservationOf(heard),
    // Calls that wait for an approval are counted when they have run.
    toolCalls: record.toolCalls.filter((call) => call.outcome !== 'waiting').length,
    completedAt: new Date().toISOString(),
  };
  const attention = tickets.map(({ ticketId: id }): Attention => ({ kind: 'approval', id }));
  if (handover !== null && first) attention.push({ kind: 'handover', id: first.messageId });
  return {
    row: {
      ...record,
      seq,
      afterSeq: placeAfter(messages, nextSeq),
      text,
      choices: choices && [...choices],
      stickyAgentId: outcome === 'apologized' ? null : agent?.id,
      resetsContext,
      waitsForStaff: attention.length > 0,
      ...sessionColumns(conversation, answer, personId),
      ...recording,
    },
    reply: { ...answer, question },
    events: [
      deps.outbox.draft(replyCreated, announcedReply(conversation, { messages, bot, answer }, replyId)),
      deps.outbox.draft(turnCompleted, turnCompleted.schema.parse(completed)),
      ...attentionTo(deps, conversation, attention),
    ],
    eventsIfSilenced: useOf(deps, conversation, messages, answer),
  };
}

/** The reply, as it is sent. */
function announcedReply(
  { tenantId, botId, integrationId, conversationId, platform, place, nextReplySeq }: ClaimedConversation,
  { messages, bot, answer }: Omit<Reply, 'kind'>,
  replyId: string,
): DataOf<typeof replyCreated> {
  const { text, choices, agent, outcome } = answer;
  const askedAt = newestOf(messages);
  return replyCreated.schema.parse({
    tenantId,
    botId,
    integrationId,
    conversationId,
    platform,
    chat: place,
    text,
    replyId,
    replySeq: nextReplySeq,
    askedAt: askedAt.toISOString(),
    answerUntil: new Date(askedAt.getTime() + bot.answerWithinMinutes * minuteMs).toISOString(),
    ...(choices === null ? {} : { choices }),
    ...(agent && outcome === 'answered' ? { isAnswer: true } : {}),
    ...(heardIn(messages)[0]?.command?.name === 'stop' ? { stopsEarlier: true } : {}),
  });
}

type Attention = Pick<DataOf<typeof attentionNeeded>, 'kind' | 'id'>;

/** Asks a person to look at these tickets or messages. */
const attentionTo = (
  { outbox }: Outbox,
  { tenantId, conversationId }: ClaimedConversation,
  all: readonly Attention[],
): OutboxRow[] => all.map((one) => outbox.draft(attentionNeeded, { tenantId, conversationId, ...one }));

/** The changes of a session by an answer. The first one of an agent decides its version there. */
function sessionColumns(
  { sessionId, sessionAgents }: ClaimedConversation,
  { agent, release, outcome }: TimedAnswer,
  personId: string | null,
): TurnEndRows['row'] {
  const beginsSession = sessionId === null;
  const isDecided = !agent || outcome === 'command' || sessionAgents[agent.id] !== undefined;
  if (isDecided) return { beginsSession, ...(beginsSession ? { sessionAgents: {} } : {}) };
  const decision = release?.isCandidate ? release.releaseId : null;
  return {
    beginsSession,
    sessionAgents: { ...sessionAgents, [agent.id]: decision },
    ...(release && { ...release, personId }),
  };
}

/** Counts the use of an answer that isn't sent. */
function useOf(
  { outbox }: Outbox,
  { tenantId, botId, conversationId }: ClaimedConversation,
  messages: readonly SaidRow[],
  { agent, key, usage }: TimedAnswer,
): OutboxRow[] {
  const reservationId = reservationOf(heardIn(messages));
  if (!agent || !reservationId || usage.inputTokens + usage.outputTokens === 0) return [];
  const { provider, model } = agent;
  const wanted = { tenantId, botId, provider };
  const used = completionOf({ wanted, conversationId, model, key, usage, reservationId });
  return [outbox.draft(turnCompleted, turnCompleted.schema.parse(used))];
}

/** The turn's record. If all senders were refused, it is about the messages that led to the notice. */
function recordOf(
  conversation: ClaimedConversation,
  messages: readonly SaidRow[],
  answer: TimedAnswer,
  turnId: string,
): NewTurn {
  const { outcome, agent, key, usage, context } = answer;
  const heard = heardIn(messages);
  const messageIds = (heard.length > 0 ? heard : messages).map(({ messageId }) => messageId);
  return {
    tenantId: conversation.tenantId,
    turnId,
    conversationId: conversation.conversationId,
    messageIds,
    replyId: conversation.newId(),
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
    deliveries: messages.map(({ messageId, seq, receivedAt, refusal }) => ({
      messageId,
      seq,
      receivedAt: receivedAt.toISOString(),
      ...(refusal === null ? {} : { refusal }),
    })),
    context,
    modelRecord: answer.record,
    keyAttempts: answer.keyAttempts,
    toolCalls: answer.toolCalls,
    ...usage,
    durationMs: Math.round(answer.durationMs),
  };
}
