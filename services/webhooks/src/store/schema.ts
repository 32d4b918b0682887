import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { AnswersWhen } from '@botyard/contracts/http/bot-groups';
import { platformNames } from '@botyard/contracts/http/platform';
import { busTables, createdAt, moment, platformPolicy, tenantPolicy } from '@botyard/shared/db/columns';
import { deletedTenantsTable } from '@botyard/shared/db/deleted-tenants';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { erasedPeopleTable } from '@botyard/shared/db/erased-people';

export const webhooks = pgSchema('webhooks');
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(webhooks, 'by subject');
export const deletedTenants = deletedTenantsTable(webhooks);
export const erasedPeople = erasedPeopleTable(webhooks);

/** What a platform's adapter needs to send one part, as JSON. Nobody else looks into it. */
export type Payload = Readonly<Record<string, unknown>>;

const tenantId = () => uuid('tenant_id').notNull();

/** The receiving end of an integration, and the state of its webhook at the platform. */
export const endpoints = webhooks.table(
  'endpoints',
  {
    tenantId: tenantId(),
    integrationId: uuid('integration_id').notNull().unique(),
    botId: uuid('bot_id').notNull(),
    integrationType: text('integration_type', { enum: platformNames }).notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    /** Where people write to: of an e-mail integration only. */
    address: text(),
    /** The domain of the address, where its tenant has proven it. */
    provenDomain: text('proven_domain'),
    /** When something came for the address for the first time. */
    firstDeliveryAt: moment('first_delivery_at'),
    /** `MessengerSecrets` or `EmailSecrets`, sealed by the tenancy service; `null` once a deleted integration is removed from the platform. */
    sealedSecrets: text('sealed_secrets'),
    /** The secrets before, whose webhook secret stays valid until the new one is registered. */
    previousSealedSecrets: text('previous_sealed_secrets'),
    revision: integer().notNull(),
    deletedAt: moment('deleted_at'),
    /** Hash of the address and secret that the platform was told last. */
    registeredFingerprint: text('registered_fingerprint'),
    registrationAttempts: integer('registration_attempts').notNull().default(0),
    /** When there is something to do at the platform; `null` when there is not. */
    registrationDueAt: moment('registration_due_at'),
    /** Until when a worker talks to the platform about it; what is due meanwhile waits, so that calls can't cross. */
    registrationLeaseUntil: moment('registration_lease_until'),
    /** Until when one process asks the platform for its updates, where it doesn't deliver them. */
    pollLeaseUntil: moment('poll_lease_until'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.integrationId] }),
    uniqueIndex('endpoints_live').on(table.botId, table.integrationType).where(sql`deleted_at is null`),
    uniqueIndex('endpoints_by_address').on(table.address).where(sql`deleted_at is null`),
    index('endpoints_due').on(table.registrationDueAt).where(sql`registration_due_at is not null`),
    tenantPolicy(),
  ],
);

/** How bots behave in groups, as the agents service announced it. */
export const groupRules = webhooks.table(
  'group_rules',
  {
    tenantId: tenantId(),
    botId: uuid('bot_id').notNull(),
    platformChatId: text('platform_chat_id').notNull(),
    answersWhen: text('answers_when').$type<AnswersWhen>().notNull(),
    topics: text().array(),
    revision: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.botId, table.platformChatId] }), tenantPolicy()],
);

/** Every delivery that was accepted, for 8 days: what comes again is a duplicate (REQ-REL-1). */
export const deliveries = webhooks.table(
  'deliveries',
  {
    tenantId: tenantId(),
    source: text({ enum: platformNames }).notNull(),
    botId: uuid('bot_id').notNull(),
    eventId: text('event_id').notNull(),
    deliveryId: uuid('delivery_id').notNull(),
    receivedAt: moment('received_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.source, table.botId, table.eventId] }),
    index('deliveries_by_age').on(table.receivedAt),
    tenantPolicy(),
  ],
);

/** Counts the admitted messages of each conversation: the order that everything later keeps (rule 4). */
export const conversations = webhooks.table(
  'conversations',
  {
    tenantId: tenantId(),
    conversationId: uuid('conversation_id').notNull(),
    lastSeq: bigint('last_seq', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.conversationId] }), tenantPolicy()],
);

/** Whose turn it is in each conversation. A table of its own: queueing replies must not hold up admission. */
export const replyTurns = webhooks.table(
  'reply_turns',
  {
    tenantId: tenantId(),
    conversationId: uuid('conversation_id').notNull(),
    /** Position of the next reply that may be sent. */
    nextReplySeq: bigint('next_reply_seq', { mode: 'number' }).notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.conversationId] }), tenantPolicy()],
);

/** A chat or a thread of mails that something is sent to. A worker leases it, so what it is sent goes out one after another. */
export const chats = webhooks.table(
  'chats',
  {
    tenantId: tenantId(),
    botId: uuid('bot_id').notNull(),
    /** The platform's own word for it; of a thread of mails its identifier. */
    platformChatId: text('platform_chat_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    platform: text({ enum: platformNames }).notNull().default('messenger'),
    /** When the next part may go; `null` when none waits. */
    readyAt: moment('ready_at'),
    leaseUntil: moment('lease_until'),
    /** The process that holds the lease. It keeps it for as long as it lives (`sender_processes`). */
    owner: uuid(),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    /** Theoretical arrival time of the pace (generic cell rate algorithm). */
    pacedUntil: moment('paced_until'),
    /** Its `ready_at` is a place in its bot's line. */
    isBooked: boolean('is_booked').notNull().default(false),
    /** Since when the chat takes nothing; what was asked before is not answered there any more. */
    blockedAt: moment('blocked_at'),
    blockedReason: text('blocked_reason'),
    /** The platform's moment, in seconds, of the newest change of the bot's membership that it told. */
    memberChangedAt: bigint('member_changed_at', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.botId, table.platformChatId] }),
    index('chats_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`),
    tenantPolicy(),
  ],
);

/** Groups that became supergroups: the same chats under other numbers. */
export const chatMoves = webhooks.table(
  'chat_moves',
  {
    tenantId: tenantId(),
    botId: uuid('bot_id').notNull(),
    fromChatId: text('from_chat_id').notNull(),
    toChatId: text('to_chat_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.botId, table.fromChatId] }),
    unique('chat_moves_to').on(table.tenantId, table.botId, table.toChatId),
    tenantPolicy(),
  ],
);

/** Presses of buttons, which are acknowledged once each. Kept for an hour: longer than any comes again. */
export const callbacks = webhooks.table(
  'callbacks',
  {
    tenantId: tenantId(),
    botId: uuid('bot_id').notNull(),
    callbackQueryId: text('callback_query_id').notNull(),
    createdAt: createdAt(),
    /** When the next try is due; `null` when there is nothing left to do. */
    dueAt: moment('due_at').defaultNow(),
    attempts: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.botId, table.callbackQueryId] }),
    index('callbacks_due').on(table.dueAt).where(sql`due_at is not null`),
    index('callbacks_by_age').on(table.createdAt),
    tenantPolicy(),
  ],
);

/** The pace of each bot over all its chats. */
export const botPaces = webhooks.table(
  'bot_paces',
  {
    tenantId: tenantId(),
    botId: uuid('bot_id').notNull(),
    pacedUntil: moment('paced_until').notNull(),
    /** Until when its places are given to chats that wait for them. */
    bookedUntil: moment('booked_until'),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.botId] }), tenantPolicy()],
);

export const replies = webhooks.table(
  'replies',
  {
    tenantId: tenantId(),
    replyId: uuid('reply_id').notNull(),
    botId: uuid('bot_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    replySeq: bigint('reply_seq', { mode: 'number' }).notNull(),
    platform: text({ enum: platformNames }).notNull().default('messenger'),
    place: jsonb().$type<ChatPlace>().notNull(),
    /** Markdown, until its parts are made. */
    text: text().notNull(),
    /** When the newest message that it answers was received. */
    askedAt: moment('asked_at'),
    /** Until when it is worth sending; `null`: for an hour after the question. */
    answerUntil: moment('answer_until'),
    /** What still waits of the replies before it is given up. */
    stopsEarlier: boolean('stops_earlier').notNull().default(false),
    /** A person of the tenant wrote it, and not the bot. */
    isByStaff: boolean('is_by_staff').notNull().default(false),
    /** The trace that it was made in. */
    traceparent: text(),
    /** `waiting` for a reply before it, `queued`, then `sent` or `failed`. */
    state: text({ enum: ['waiting', 'queued', 'sent', 'failed'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.replyId] }),
    unique('replies_in_order').on(table.conversationId, table.replySeq),
    index('replies_waiting')
      .on(table.tenantId, table.conversationId, table.replySeq)
      .where(sql`state = 'waiting'`),
    tenantPolicy(),
  ],
);

/** Processes that send. Each writes every second that it lives; what one holds is taken over when it stops doing so. */
export const senderProcesses = webhooks.table(
  'sender_processes',
  {
    processId: uuid('process_id').primaryKey(),
    beatAt: moment('beat_at').notNull(),
    /** Since when no beat was missed: the database could be reached all that time. */
    steadySince: moment('steady_since').notNull(),
    livesUntil: moment('lives_until').notNull(),
  },
  () => [platformPolicy()],
);

/** What goes to the platform in one call. */
export const parts = webhooks.table(
  'parts',
  {
    tenantId: tenantId(),
    partId: uuid('part_id').notNull(),
    /** `null` of what answers nothing, such as the link to an unknown sender. */
    replyId: uuid('reply_id'),
    botId: uuid('bot_id').notNull(),
    platformChatId: text('platform_chat_id').notNull(),
    /** Order within the chat. */
    position: bigint({ mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    threadId: text('thread_id'),
    /** What the platform's adapter sends; `null` of what a process of the release before has queued. */
    payload: jsonb().$type<Payload>(),
    /** Of the payload, for processes of the release before. */
    html: text().notNull(),
    plain: text().notNull(),
    state: text({ enum: ['queued', 'sending', 'sent', 'failed'] }).notNull(),
    attempts: integer().notNull().default(0),
    /** Sends that were begun. The outcome of a send is written only while no later one was begun. */
    sends: integer().notNull().default(0),
    /** Of those, the ones that may have reached the platform for all that is known. */
    openSends: integer('open_sends').notNull().default(0),
    isUncertain: boolean('is_uncertain').notNull().default(false),
    /** Its outcome was written by itself; the reply is still to be announced. */
    isUnannounced: boolean('is_unannounced').notNull().default(false),
    platformMessageId: text('platform_message_id'),
    lastError: text('last_error'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.partId] }),
    index('parts_waiting')
      .on(table.botId, table.platformChatId, table.position)
      .where(sql`state in ('queued', 'sending')`),
    index('parts_by_reply').on(table.replyId),
    index('parts_unannounced').on(table.tenantId).where(sql`is_unannounced`),
    index('parts_of_no_reply').on(table.tenantId).where(sql`reply_id is null`),
    tenantPolicy(),
  ],
);
