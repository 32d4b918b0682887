import { platformNames } from '@botyard/contracts/platform-names';
import { createdAt, moment } from '@botyard/shared/db/columns';
import { index, integer, sql, text, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/**
 * Files of chats, recorded with their messages and fetched afterwards. A stored file is the row of `mail_attachments`
 * whose `mail_id` is the media.
 */
export const media = tenantTable(
  'media',
  ['mediaId'],
  {
    mediaId: uuid('media_id').notNull(),
    botId: uuid('bot_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    platform: text({ enum: platformNames }).notNull(),
    /** Unique in the conversation. */
    platformMessageId: text('platform_message_id'),
    /** The sender's identifier on the platform, which an erasure uses. */
    senderId: text('sender_id').notNull(),
    /** The name given by the sender. */
    name: text().notNull(),
    /** The adapter's reference for fetching it; `null` once that is done. */
    fileRef: text('file_ref'),
    state: text({ enum: ['waiting', 'kept', 'missing'] })
      .notNull()
      .default('waiting'),
    missingReason: text('missing_reason', { enum: ['too_large', 'unavailable'] }),
    /** The number of attempts. A result is written only while no later attempt has begun. */
    attempts: integer().notNull().default(0),
    /** The time of the next attempt; `null` when there is nothing left to do. */
    dueAt: moment('due_at').defaultNow(),
    /** Lease of the process that fetches it. */
    leaseUntil: moment('lease_until'),
    createdAt: createdAt(),
  },
  (table) => [
    index('media_due').on(table.tenantId, table.dueAt).where(sql`due_at is not null`),
    index('media_of_conversation').on(table.tenantId, table.conversationId),
    index('media_of_sender').on(table.tenantId, table.senderId),
  ],
);
