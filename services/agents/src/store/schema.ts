import type { Refusal } from '@botyard/contracts/events/tenancy';
import type { ChatPlace, InboundMessage, Receipt } from '@botyard/contracts/events/webhooks';
import type { BotWords } from '@botyard/contracts/http/bot-words';
import type {
  ContextRecord,
  DeliveryRecord,
  KeyAttempt,
  ModelRecord,
  ReplyDelivery,
  ToolCallRecord,
} from '@botyard/contracts/http/context-traces';
import type { TriageRecord } from '@botyard/contracts/http/triage';
import { platformNames } from '@botyard/contracts/platform-names';
import { busTables, createdAt, moment, tenantTables } from '@botyard/shared/db/columns';
import { deletedTenantsTable } from '@botyard/shared/db/deleted-tenants';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgSchema,
  sql,
  text,
  unique,
  uuid,
} from '@botyard/shared/db/drizzle';
import { erasedPeopleTable } from '@botyard/shared/db/erased-people';
import type { StoredAttachment, StoredTemplate } from './stored-attachment.ts';
import type { StoredReactions } from './stored-reactions.ts';

export const agents = pgSchema('agents');
export const tenantTable = tenantTables(agents);
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(agents);
export const deletedTenants = deletedTenantsTable(agents);
export const erasedPeople = erasedPeopleTable(agents);

/** Bots as announced by the tenancy service. */
export const bots = tenantTable('bots', ['botId'], {
  botId: uuid('bot_id').notNull().unique(),
  name: text().notNull(),
  agentIds: uuid('agent_ids').array().notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  joinWindowMs: integer('join_window_ms').notNull(),
  answerDeadlineSeconds: integer('answer_deadline_seconds').notNull().default(60),
  /** 0 disables the notice. */
  delayNoticeSeconds: integer('delay_notice_seconds').notNull().default(20),
  answerWithinMinutes: integer('answer_within_minutes').notNull().default(60),
  handbackAfterMinutes: integer('handback_after_minutes').notNull().default(60),
  asksForRating: boolean('asks_for_rating').notNull().default(false),
  defaultLanguage: text('default_language').notNull().default('en'),
  words: jsonb().$type<BotWords>().notNull().default({}),
  revision: integer().notNull(),
  deletedAt: moment('deleted_at'),
});

/** The agents that have answered in a session, each with the release of its candidate; `null`: the live version. */
export type SessionAgents = Record<string, string | null>;

/**
 * One bot in one chat, or in one topic of a chat. This is the unit of order: a worker leases it, and its fence guards
 * every write.
 */
export const conversations = tenantTable(
  'conversations',
  ['conversationId'],
  {
    conversationId: uuid('conversation_id').notNull(),
    /** The conversation's identifier in the API; ordered by time. */
    chatId: uuid('chat_id').notNull().unique(),
    botId: uuid('bot_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    platform: text({ enum: platformNames }).notNull(),
    place: jsonb().$type<ChatPlace>().notNull(),
    /** The positions of the next message to answer, and of the last one that arrived. */
    nextSeq: bigint('next_seq', { mode: 'number' }).notNull().default(1),
    lastSeq: bigint('last_seq', { mode: 'number' }).notNull().default(0),
    nextReplySeq: bigint('next_reply_seq', { mode: 'number' }).notNull().default(1),
    /** The time from which a worker may claim it; `null` when nothing is pending. */
    readyAt: moment('ready_at'),
    /** The position of the newest stop command: earlier messages are no longer answered. */
    stoppedSeq: bigint('stopped_seq', { mode: 'number' }),
    /** The time since when something is pending. It limits how long a burst can delay the answer. */
    waitingSince: moment('waiting_since'),
    leaseUntil: moment('lease_until'),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    /** Claims and failures since the last finished turn. */
    claims: integer().notNull().default(0),
    failures: integer().notNull().default(0),
    lastError: text('last_error'),
    /** The first attempt of a turn that is postponed because every key that could answer is paused. */
    triedSince: moment('tried_since'),
    /** The first message of the turn for which the chat last got a delay notice. */
    delayedMessageId: uuid('delayed_message_id'),
    /** The agent that answered last. It continues unless another one fits clearly better. */
    stickyAgentId: uuid('sticky_agent_id'),
    /** The session, named by the first message that was answered in it; `null` if the next message begins one. */
    sessionId: uuid('session_id'),
    sessionAgents: jsonb('session_agents').$type<SessionAgents>(),
    /** Earlier messages are no longer context: set by /new. */
    contextFrom: moment('context_from'),
    /** The last message in the conversation's summary; `null` while there is none. */
    summarizedUntil: uuid('summarized_until'),
    /**
     * `person` applies only until `handbackAt`. From then on the bot handles the chat, even before that is announced.
     */
    handling: text({ enum: ['bot', 'person'] })
      .notNull()
      .default('bot'),
    handbackAt: moment('handback_at'),
    /** The person who handles it, in `staff`. */
    assigneeStaffId: uuid('assignee_staff_id'),
    /** An agent's reason for requesting a person. */
    handoverReason: text('handover_reason'),
    /** The fence of the newest claim that may no longer answer, because a person took the chat over. */
    mutedFence: bigint('muted_fence', { mode: 'number' }),
    /** The number of its replies that users of the tenant wrote. */
    staffReplies: integer('staff_replies').notNull().default(0),
    /** `snoozed` applies only until `snoozedUntil`. From then on it is open, even before that is announced. */
    state: text({ enum: ['open', 'waiting', 'snoozed', 'resolved'] })
      .notNull()
      .default('open'),
    snoozedUntil: moment('snoozed_until'),
    /** The last question if an answer helped. A choice of it is a rating, and no message to the agent. */
    ratingQuestionId: uuid('rating_question_id'),
    /** Labels that were deleted since have no effect. */
    labelIds: uuid('label_ids').array(),
    createdAt: createdAt(),
    lastMessageAt: moment('last_message_at').notNull().defaultNow(),
  },
  (table) => [
    index('conversations_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`),
    index('conversations_of_bot').on(table.botId, table.tenantId),
    index('conversations_of_people').on(table.handbackAt).where(sql`handling = 'person'`),
    index('conversations_in_queues')
      .on(table.tenantId)
      .where(sql`handling = 'person' or state in ('waiting', 'snoozed')`),
    index('conversations_snoozed').on(table.snoozedUntil).where(sql`state = 'snoozed'`),
    index('conversations_by_creation')
      .on(table.tenantId, table.createdAt, table.chatId)
      .where(sql`created_at > '-infinity'`),
    index('conversations_by_last_message')
      .on(table.tenantId, table.lastMessageAt, table.chatId)
      .where(sql`last_message_at > '-infinity'`),
  ],
);

export const messages = tenantTable(
  'messages',
  ['messageId'],
  {
    messageId: uuid('message_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    direction: text({ enum: ['in', 'out'] }).notNull(),
    /** The position among the messages of its direction. */
    seq: bigint({ mode: 'number' }).notNull(),
    /** For a reply or a notice: the position of the message before it. */
    afterSeq: bigint('after_seq', { mode: 'number' }),
    text: text().notNull(),
    content: text({ enum: ['text', 'unsupported'] }).notNull(),
    command: jsonb().$type<NonNullable<InboundMessage['command']>>(),
    /** `false` for group messages that weren't addressed to the bot. */
    isAddressed: boolean('is_addressed').notNull().default(true),
    /** How it was recognized that no person wrote it. It is never answered, and no context of an answer. */
    automaticReason: text('automatic_reason'),
    sender: jsonb().$type<InboundMessage['sender']>(),
    /** The platform's own identifiers, which assign edits to messages. A message's number is unique in its chat. */
    platformChatId: text('platform_chat_id'),
    platformMessageId: text('platform_message_id'),
    albumId: text('album_id'),
    attachment: jsonb().$type<StoredAttachment>(),
    template: jsonb().$type<StoredTemplate>(),
    /** The texts to choose from under a reply. */
    choices: jsonb().$type<string[]>(),
    /** For an email: its subject, and its attachments. */
    mail: jsonb().$type<NonNullable<InboundMessage['mail']>>(),
    editedAt: moment('edited_at'),
    /** Orders two edits within a second. */
    editNumber: bigint('edit_number', { mode: 'number' }),
    deletedAt: moment('deleted_at'),
    agentId: uuid('agent_id'),
    /** The version of the agent that wrote a reply. */
    agentVersion: integer('agent_version'),
    /** The author of a staff message, who is deleted from `staff` by an erasure. */
    staffId: uuid('staff_id'),
    /** Arrived while a person handled the chat. No agent answers it, and it is context for later answers. */
    isForStaff: boolean('is_for_staff').notNull().default(false),
    status: text({
      enum: ['queued', 'answered', 'ignored', 'dead', 'sending', 'sent', 'failed', 'uncertain'],
    }).notNull(),
    lastError: text('last_error'),
    /** The time when it became a dead letter, and the number of attempts. Only with the status `dead`. */
    deadAt: moment('dead_at'),
    tries: integer(),
    /** The time when a person resent or dropped a reply that did not arrive (`failed` or `uncertain`). */
    dismissedAt: moment('dismissed_at'),
    /** The rule of the tenant (`/api/auth`) that refused the sender. Only with the status `ignored`. */
    refusal: text().$type<Refusal>(),
    /** The delivery that contained it. */
    deliveryId: uuid('delivery_id'),
    /** The trace context of its arrival. */
    traceparent: text(),
    /** The result of delivering a reply to its platform. */
    delivery: jsonb().$type<ReplyDelivery>(),
    /** The platform's report about a sent reply: the greatest of `delivered`, `read` and `failed`. */
    receipt: jsonb().$type<Receipt>(),
    /** How the person rated a reply, and when they did it or took it back. */
    rating: text({ enum: ['up', 'down'] }),
    ratedAt: moment('rated_at'),
    /** The reactions that the rating follows from, where the person can have several at once. */
    reactions: jsonb().$type<StoredReactions>(),
    /** The reply that the bot asks about with this message, or that a person rates with it. No context of an answer. */
    ratedReplyId: uuid('rated_reply_id'),
    /** The model's provider refuses its content, so it is no context of later answers. */
    isLeftOut: boolean('is_left_out').notNull().default(false),
    /** The archive file that also holds it. */
    archivedIn: uuid('archived_in'),
    receivedAt: moment('received_at').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('messages_in_order').on(table.conversationId, table.direction, table.seq),
    index('messages_by_time').on(table.conversationId, table.messageId),
    /** A turn reads what waits in its chat, however many messages the chat has. */
    index('messages_queued').on(table.conversationId, table.seq).where(sql`status = 'queued'`),
    index('messages_archived').on(table.tenantId, table.archivedIn).where(sql`archived_in is not null`),
    index('messages_undelivered')
      .on(table.tenantId, table.messageId)
      .where(sql`status in ('failed', 'uncertain')`),
    index('messages_dead').on(table.tenantId, table.messageId).where(sql`status = 'dead'`),
  ],
);

/** Authors in a conversation, and when they were first seen. */
export const people = tenantTable(
  'people',
  ['conversationId', 'personId'],
  {
    conversationId: uuid('conversation_id').notNull(),
    /** Stable for a person of a platform in a tenant. */
    personId: uuid('person_id').notNull(),
    platform: text({ enum: platformNames }).notNull(),
    platformUserId: text('platform_user_id').notNull(),
    name: text().notNull(),
    username: text(),
    firstSeenAt: moment('first_seen_at').notNull().defaultNow(),
    lastSeenAt: moment('last_seen_at').notNull().defaultNow(),
  },
  (table) => [
    index('people_by_person').on(table.tenantId, table.personId),
    index('people_by_first_seen')
      .on(table.tenantId, table.firstSeenAt, table.personId)
      .where(sql`first_seen_at > '-infinity'`),
  ],
);

/** One answer and everything that led to it. */
export const turns = tenantTable(
  'turns',
  ['turnId'],
  {
    turnId: uuid('turn_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    messageIds: uuid('message_ids').array().notNull(),
    replyId: uuid('reply_id').notNull(),
    agentId: uuid('agent_id'),
    /** `null` without an agent, and for turns of earlier releases. */
    agentVersion: integer('agent_version'),
    /** The conversation's session; `null` for turns of earlier releases. */
    sessionId: uuid('session_id'),
    outcome: text({ enum: ['answered', 'apologized', 'command'] }).notNull(),
    failure: text(),
    triage: jsonb().$type<TriageRecord>(),
    provider: text(),
    model: text(),
    keyId: uuid('key_id'),
    keySource: text('key_source').notNull(),
    contextMessages: integer('context_messages').notNull(),
    /** The joined deliveries that the turn answered. */
    deliveries: jsonb().$type<DeliveryRecord[]>().notNull().default([]),
    /** The model's context besides the question. */
    context: jsonb().$type<ContextRecord>(),
    /** How the model ended its answer; `null` if none was asked. */
    modelRecord: jsonb('model_record').$type<ModelRecord>(),
    /** The keys that were tried, in order; the last one is `keyId`. */
    keyAttempts: jsonb('key_attempts').$type<KeyAttempt[]>().notNull().default([]),
    /** Tools that the model called, in order. */
    toolCalls: jsonb('tool_calls').$type<ToolCallRecord[]>().notNull().default([]),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    isEstimated: boolean('is_estimated').notNull(),
    durationMs: integer('duration_ms').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('turns_by_conversation').on(table.tenantId, table.conversationId, table.turnId),
    index('turns_by_reply').on(table.tenantId, table.replyId),
    index('turns_by_agent').on(table.tenantId, table.agentId, table.turnId),
  ],
);
