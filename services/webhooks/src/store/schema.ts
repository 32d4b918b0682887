import type { OutboundFile } from '@botyard/contracts/events/attachments';
import type { OutboundTemplate } from '@botyard/contracts/events/webhook-templates';
import type { ChatPlace } from '@botyard/contracts/events/webhooks';
import type { AnswersWhen } from '@botyard/contracts/http/bot-groups';
import { platformNames, unnamedPlatform } from '@botyard/contracts/platform-names';
import { busTables, createdAt, moment, platformPolicy, tenantTables } from '@botyard/shared/db/columns';
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
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { erasedPeopleTable } from '@botyard/shared/db/erased-people';

export const webhooks = pgSchema('webhooks');
export const tenantTable = tenantTables(webhooks);
export const { outbox, inbox, consumerFailures, deadLetters, streams } = busTables(webhooks, 'by subject');
export const deletedTenants = deletedTenantsTable(webhooks);
export const erasedPeople = erasedPeopleTable(webhooks);

/** The data for sending one part, as JSON. Only the platform's adapter reads it. */
export type Payload = Readonly<Record<string, unknown>>;

/** An integration's endpoint for deliveries, and the state of its webhook at the platform. */
export const endpoints = tenantTable(
  'endpoints',
  ['integrationId'],
  {
    integrationId: uuid('integration_id').notNull().unique(),
    botId: uuid('bot_id').notNull(),
    integrationType: text('integration_type', { enum: platformNames }).notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    /** The address that people write to; only for email integrations. */
    address: text(),
    /** The domain of the address, if its tenant has proven it. */
    provenDomain: text('proven_domain'),
    /** The account at the platform; `null` while it isn't known, and after it was removed. */
    accountId: text('account_id'),
    /** The time of the first verified delivery of the account. */
    firstDeliveryAt: moment('first_delivery_at'),
    /**
     * The platform's `secrets`, sealed by the tenancy service; `null` after a deleted integration was removed from the
     * platform.
     */
    sealedSecrets: text('sealed_secrets'),
    /** The previous secrets, whose webhook secret stays valid until the new one is registered. */
    previousSealedSecrets: text('previous_sealed_secrets'),
    revision: integer().notNull(),
    deletedAt: moment('deleted_at'),
    /** The hash of the address and secret that were last registered at the platform. */
    registeredFingerprint: text('registered_fingerprint'),
    registrationAttempts: integer('registration_attempts').notNull().default(0),
    /** The time at which a call to the platform is due; `null` when none is. */
    registrationDueAt: moment('registration_due_at'),
    /** The lease of a worker that calls the platform about it. Other due work waits, so that calls can't interfere. */
    registrationLeaseUntil: moment('registration_lease_until'),
    /** The lease of the process that polls the platform for its updates, if the platform doesn't deliver them. */
    pollLeaseUntil: moment('poll_lease_until'),
    /** The time at which secrets that expire have to be looked at; `null` when they don't expire. */
    renewalDueAt: moment('renewal_due_at'),
    /** Sealed secrets of a renewal, until the tenancy service has announced the integration with them. */
    renewedSecrets: text('renewed_secrets'),
  },
  (table) => [
    uniqueIndex('endpoints_live').on(table.botId, table.integrationType).where(sql`deleted_at is null`),
    index('endpoints_by_account').on(table.integrationType, table.accountId).where(sql`deleted_at is null`),
    uniqueIndex('endpoints_by_address').on(table.address).where(sql`deleted_at is null`),
    index('endpoints_due').on(table.registrationDueAt).where(sql`registration_due_at is not null`),
    index('endpoints_renewed').on(table.tenantId, table.renewalDueAt).where(sql`renewal_due_at is not null`),
  ],
);

/** Rules of bots in groups, as announced by the agents service. */
export const groupRules = tenantTable('group_rules', ['botId', 'chatKey'], {
  botId: uuid('bot_id').notNull(),
  /** From `chatKeyOf`: it also names the platform. */
  chatKey: text('platform_chat_id').notNull(),
  answersWhen: text('answers_when').$type<AnswersWhen>().notNull(),
  topics: text().array(),
  revision: integer().notNull(),
});

/** Every accepted delivery, for 8 days: a repeated one is a duplicate (REQ-REL-1). */
export const deliveries = tenantTable(
  'deliveries',
  ['source', 'botId', 'eventId'],
  {
    source: text({ enum: platformNames }).notNull(),
    botId: uuid('bot_id').notNull(),
    eventId: text('event_id').notNull(),
    deliveryId: uuid('delivery_id').notNull(),
    receivedAt: moment('received_at').notNull().defaultNow(),
  },
  (table) => [index('deliveries_by_age').on(table.receivedAt)],
);

/** Counts the admitted messages of each conversation: the order that every later step keeps (rule 4). */
export const conversations = tenantTable('conversations', ['conversationId'], {
  conversationId: uuid('conversation_id').notNull(),
  lastSeq: bigint('last_seq', { mode: 'number' }).notNull(),
});

/** The next reply to send in each conversation. A separate table, because queueing replies must not block admission. */
export const replyTurns = tenantTable('reply_turns', ['conversationId'], {
  conversationId: uuid('conversation_id').notNull(),
  /** The position of the next reply that may be sent. */
  nextReplySeq: bigint('next_reply_seq', { mode: 'number' }).notNull().default(1),
});

/** A chat or a mail thread as a destination. A worker leases it, so that its parts are sent one after another. */
export const chats = tenantTable(
  'chats',
  ['botId', 'chatKey'],
  {
    botId: uuid('bot_id').notNull(),
    /** From `chatKeyOf`: it also names the platform. A mail thread has its identifier. */
    chatKey: text('platform_chat_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    platform: text({ enum: platformNames }).notNull().default(unnamedPlatform),
    /** The time from which the next part may be sent; `null` when none is pending. */
    readyAt: moment('ready_at'),
    leaseUntil: moment('lease_until'),
    /** The process that holds the lease, for as long as it lives (`sender_processes`). */
    owner: uuid(),
    fence: bigint({ mode: 'number' }).notNull().default(0),
    /** The theoretical arrival time of the pace (generic cell rate algorithm). */
    pacedUntil: moment('paced_until'),
    /** Its `ready_at` is a reserved slot in its bot's pace. */
    isBooked: boolean('is_booked').notNull().default(false),
    /** The time since when the chat accepts nothing. Earlier questions are no longer answered there. */
    blockedAt: moment('blocked_at'),
    blockedReason: text('blocked_reason'),
    /** The platform's time, in seconds, of the newest known change of the bot's membership. */
    memberChangedAt: bigint('member_changed_at', { mode: 'number' }).notNull().default(0),
  },
  (table) => [index('chats_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`)],
);

/** Groups that became supergroups: the same chats with new identifiers. */
export const chatMoves = tenantTable(
  'chat_moves',
  ['botId', 'fromKey'],
  {
    botId: uuid('bot_id').notNull(),
    fromKey: text('from_chat_id').notNull(),
    toKey: text('to_chat_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [unique('chat_moves_to').on(table.tenantId, table.botId, table.toKey)],
);

/** Presses of buttons, each acknowledged once. Kept for an hour, longer than any is repeated. */
export const callbacks = tenantTable(
  'callbacks',
  ['botId', 'callbackQueryId'],
  {
    botId: uuid('bot_id').notNull(),
    callbackQueryId: text('callback_query_id').notNull(),
    createdAt: createdAt(),
    /** The time of the next attempt; `null` when there is nothing left to do. */
    dueAt: moment('due_at').defaultNow(),
    attempts: integer().notNull().default(0),
  },
  (table) => [
    index('callbacks_due').on(table.dueAt).where(sql`due_at is not null`),
    index('callbacks_by_age').on(table.createdAt),
  ],
);

/** The pace of each bot over all its chats. */
export const botPaces = tenantTable('bot_paces', ['botId'], {
  /** The bot or its integration: a bot has a pace on each platform. */
  botId: uuid('bot_id').notNull(),
  pacedUntil: moment('paced_until').notNull(),
  /** The end of the slots that are reserved for waiting chats. */
  bookedUntil: moment('booked_until'),
});

export const replies = tenantTable(
  'replies',
  ['replyId'],
  {
    replyId: uuid('reply_id').notNull(),
    botId: uuid('bot_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    replySeq: bigint('reply_seq', { mode: 'number' }).notNull(),
    platform: text({ enum: platformNames }).notNull().default(unnamedPlatform),
    place: jsonb().$type<ChatPlace>().notNull(),
    /** Markdown, until its parts are created. */
    text: text().notNull(),
    /** Sent after the text. */
    file: jsonb().$type<OutboundFile>(),
    /** Sent in place of the text, which holds its words. */
    template: jsonb().$type<OutboundTemplate>(),
    /** Texts under the message that the person can choose from. */
    choices: jsonb().$type<readonly string[]>(),
    /** The arrival of the newest message that it answers. */
    askedAt: moment('asked_at'),
    /** The time until which it is worth sending; `null` means an hour after the question. */
    answerUntil: moment('answer_until'),
    /** Pending parts of earlier replies are given up. */
    stopsEarlier: boolean('stops_earlier').notNull().default(false),
    /** Written by a user of the tenant, not by the bot. */
    isByStaff: boolean('is_by_staff').notNull().default(false),
    /** An answer of an agent, which people can rate. */
    isAnswer: boolean('is_answer').notNull().default(false),
    /** The trace in which it was created. */
    traceparent: text(),
    /** `waiting` for an earlier reply, `queued`, then `sent` or `failed`. */
    state: text({ enum: ['waiting', 'queued', 'sent', 'failed'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('replies_in_order').on(table.conversationId, table.replySeq),
    index('replies_waiting')
      .on(table.tenantId, table.conversationId, table.replySeq)
      .where(sql`state = 'waiting'`),
  ],
);

/**
 * Processes that send. Each updates its row every second while it is alive. When it stops, its claims are taken over.
 */
export const senderProcesses = webhooks.table(
  'sender_processes',
  {
    processId: uuid('process_id').primaryKey(),
    beatAt: moment('beat_at').notNull(),
    /** The time since when no heartbeat was missed: the database was reachable all that time. */
    steadySince: moment('steady_since').notNull(),
    livesUntil: moment('lives_until').notNull(),
  },
  () => [platformPolicy()],
);

/** The content of one call to the platform. */
export const parts = tenantTable(
  'parts',
  ['partId'],
  {
    partId: uuid('part_id').notNull(),
    /** `null` for a part that belongs to no reply, such as the link to an unknown sender. */
    replyId: uuid('reply_id'),
    botId: uuid('bot_id').notNull(),
    chatKey: text('platform_chat_id').notNull(),
    /** Order within the chat. */
    position: bigint({ mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    threadId: text('thread_id'),
    /** The adapter's data for sending. */
    payload: jsonb().$type<Payload>(),
    /** Copies from the payload, for queries by hand. */
    html: text().notNull(),
    plain: text().notNull(),
    state: text({ enum: ['queued', 'sending', 'sent', 'failed'] }).notNull(),
    attempts: integer().notNull().default(0),
    /** The number of sends. The outcome of a send is written only while no later one has begun. */
    sends: integer().notNull().default(0),
    /** The number of sends that may have reached the platform. */
    openSends: integer('open_sends').notNull().default(0),
    /** The time in ms for which the platform has asked it to wait. */
    waitedMs: bigint('waited_ms', { mode: 'number' }).notNull().default(0),
    isUncertain: boolean('is_uncertain').notNull().default(false),
    /** Its outcome was written alone, and the reply is not announced yet. */
    isUnannounced: boolean('is_unannounced').notNull().default(false),
    platformMessageId: text('platform_message_id'),
    lastError: text('last_error'),
  },
  (table) => [
    index('parts_waiting')
      .on(table.botId, table.chatKey, table.position)
      .where(sql`state in ('queued', 'sending')`),
    index('parts_by_reply').on(table.replyId),
    index('parts_in_threads')
      .on(table.tenantId, table.botId, table.chatKey, table.platformMessageId)
      .where(sql`thread_id is not null and platform_message_id is not null`),
    index('parts_unannounced').on(table.tenantId).where(sql`is_unannounced`),
    index('parts_of_no_reply').on(table.tenantId).where(sql`reply_id is null`),
  ],
);
