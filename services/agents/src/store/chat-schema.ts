import type { Attachment } from '@botyard/contracts/events/attachments';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import { bigint, index, jsonb, primaryKey, text, unique, uuid } from '@botyard/shared/db/drizzle';
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

/** Edits whose message isn't stored: it may arrive later, or never. Kept for a day. */
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
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({
      name: 'early_edits_pk',
      columns: [table.tenantId, table.conversationId, table.platformChatId, table.platformMessageId],
    }),
    index('early_edits_by_age').on(table.createdAt),
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
