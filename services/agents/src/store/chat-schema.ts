import type { Attachment } from '@botyard/contracts/events/attachments';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import { bigint, index, jsonb, primaryKey, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { agents } from './schema.ts';

const tenantId = () => uuid('tenant_id').notNull();

/** Chats of which we were told that they take nothing, or take messages again; a chat that isn't here is active. */
export const chatStates = agents.table(
  'chat_states',
  {
    tenantId: tenantId(),
    botId: uuid('bot_id').notNull(),
    platformChatId: text('platform_chat_id').notNull(),
    state: text({ enum: ['active', 'blocked'] }).notNull(),
    /** In the platform's words. */
    reason: text(),
    changedAt: moment('changed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.botId, table.platformChatId] }), tenantPolicy()],
);

/** Edits that came before their messages, or of messages that we never got. Kept for a day. */
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

/** People of a tenant who wrote into chats or handle some. Only this table tells who they are, so that erasing them is one row. */
export const staff = agents.table(
  'staff',
  {
    tenantId: tenantId(),
    staffId: uuid('staff_id').notNull(),
    userId: uuid('user_id').notNull(),
    /** By which an erasure names them. */
    personId: uuid('person_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.staffId] }),
    unique('staff_once').on(table.tenantId, table.userId),
    tenantPolicy(),
  ],
);
