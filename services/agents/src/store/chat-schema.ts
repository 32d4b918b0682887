import type { Attachment } from '@botyard/contracts/events/attachments';
import type { InboundMessage, QuoteAuthor } from '@botyard/contracts/events/webhooks';
import { chatChangeKinds } from '@botyard/contracts/http/interactions-changes';
import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import {
  bigint,
  index,
  jsonb,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { agents, tenantTable } from './schema.ts';

const tenantId = () => uuid('tenant_id').notNull();

/** Chats that the platform reported as blocked or as open again. A chat without a row is open. */
export const chatStates = tenantTable('chat_states', ['botId', 'chatKey'], {
  botId: uuid('bot_id').notNull(),
  /** From `chatKeyOf`: it also names the platform. */
  chatKey: text('platform_chat_id').notNull(),
  state: text({ enum: ['active', 'blocked'] }).notNull(),
  /** The reason as the platform states it. */
  reason: text(),
  changedAt: moment('changed_at').notNull(),
});

/**
 * Edits and deletions whose message isn't stored: it may arrive later, or never. Kept for a day. A deletion also stands
 * here until the message is removed from the archive.
 */
export const earlyEdits = agents.table(
  'early_edits',
  {
    tenantId: tenantId(),
    conversationId: uuid('conversation_id').notNull(),
    platformChatId: text('platform_chat_id').notNull(),
    platformMessageId: text('platform_message_id').notNull(),
    text: text().notNull(),
    content: text({ enum: ['text', 'unsupported'] }).notNull(),
    command: jsonb().$type<NonNullable<InboundMessage['command']>>(),
    attachment: jsonb().$type<Attachment>(),
    editedAt: moment('edited_at').notNull(),
    editNumber: bigint('edit_number', { mode: 'number' }).notNull(),
    /** The message was deleted: no edit holds any longer. */
    deletedAt: moment('deleted_at'),
    /** The time since when no file of the archive contains the deleted message. */
    unarchivedAt: moment('unarchived_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({
      name: 'early_edits_pk',
      columns: [table.tenantId, table.conversationId, table.platformChatId, table.platformMessageId],
    }),
    index('early_edits_by_age').on(table.createdAt),
    index('early_edits_to_unarchive')
      .on(table.createdAt)
      .where(sql`deleted_at is not null and unarchived_at is null`),
    tenantPolicy(),
  ],
);

/**
 * The tenant's users who wrote into chats or handle them. No other table identifies them, so an erasure deletes one
 * row.
 */
export const staff = tenantTable(
  'staff',
  ['staffId'],
  {
    staffId: uuid('staff_id').notNull(),
    userId: uuid('user_id').notNull(),
    /** Identifies the person in an erasure. */
    personId: uuid('person_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [unique('staff_once').on(table.tenantId, table.userId)],
);

/** Labels that the tenant puts on its chats. */
export const labels = tenantTable(
  'labels',
  ['labelId'],
  {
    labelId: uuid('label_id').notNull(),
    name: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('labels_once').on(table.tenantId, sql`lower(name)`)],
);

/** Until when a user has read a chat. A chat without a row is unread. */
export const chatReads = tenantTable('chat_reads', ['conversationId', 'staffId'], {
  conversationId: uuid('conversation_id').notNull(),
  staffId: uuid('staff_id').notNull(),
  readUntil: moment('read_until').notNull(),
});

/** Notes of staff about a chat. Neither its people nor a model sees them. */
export const chatNotes = tenantTable(
  'chat_notes',
  ['noteId'],
  {
    noteId: uuid('note_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    text: text().notNull(),
    /** The author, who is deleted from `staff` by an erasure. */
    staffId: uuid('staff_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [index('chat_notes_of_chat').on(table.tenantId, table.conversationId, table.noteId)],
);

/**
 * Changes of chats: takeovers, states, assignees. A trigger writes `reopened` when a message opens a snoozed or
 * resolved chat.
 */
export const chatChanges = tenantTable(
  'chat_changes',
  ['changeId'],
  {
    changeId: uuid('change_id').notNull().default(sql`agents.new_id()`),
    conversationId: uuid('conversation_id').notNull(),
    kind: text({ enum: chatChangeKinds }).notNull(),
    /** The user who did it, until an erasure deletes them from `staff`. `null`: it happened by itself. */
    staffId: uuid('staff_id'),
    /** The new assignee of `assigned`; `null` means no particular person. */
    assigneeStaffId: uuid('assignee_staff_id'),
    /** The end of `snoozed`. */
    snoozedUntil: moment('snoozed_until'),
    createdAt: createdAt(),
  },
  (table) => [index('chat_changes_of_chat').on(table.tenantId, table.conversationId, table.changeId)],
);

/** Texts that staff send often. */
export const cannedReplies = tenantTable(
  'canned_replies',
  ['cannedReplyId'],
  {
    cannedReplyId: uuid('canned_reply_id').notNull(),
    name: text().notNull(),
    text: text().notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [uniqueIndex('canned_replies_once').on(table.tenantId, sql`lower(name)`)],
);

/** Excerpts that people quoted in a chat: the quoted part of a reply, or the text that was replied to. */
export const quotes = tenantTable(
  'quotes',
  ['quoteId'],
  {
    quoteId: uuid('quote_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    botId: uuid('bot_id').notNull(),
    /** The person who quotes. */
    personId: uuid('person_id').notNull(),
    /** The quoting message; its position detects repeated deliveries. */
    seq: bigint({ mode: 'number' }).notNull(),
    kind: text({ enum: ['quote', 'reply'] }).notNull(),
    text: text().notNull(),
    /** The author of the quoted text; `null` if the platform doesn't name one. */
    author: jsonb().$type<QuoteAuthor>(),
    platformMessageId: text('platform_message_id'),
    createdAt: createdAt(),
  },
  (table) => [
    unique('quotes_one_per_message').on(table.tenantId, table.conversationId, table.seq),
    index('quotes_by_person').on(table.tenantId, table.personId, table.quoteId),
    /** For operators, who read the quotes of all tenants page by page. */
    index('quotes_by_time').on(table.quoteId),
  ],
);
