import { createdAt, moment } from '@botyard/shared/db/columns';
import { bigint, boolean, index, jsonb, sql, text, uniqueIndex, uuid } from '@botyard/shared/db/drizzle';
import { tenantTable } from './schema.ts';

/** A file that a visitor has sent, or staff, as windows show it. */
export interface ShownFile {
  kind: string;
  name: string;
  sizeBytes: number;
}

/** A file of staff also has the place of its bytes, for the visitor's download. */
export interface StoredFile extends ShownFile {
  mediaType?: string;
  objectKey?: string;
}

/**
 * The visitors of web chats. A visitor is a person and a private chat at once: a browser that is not signed in, or a
 * user of the site whom the site has vouched for. The two never share a row, so their histories never mix.
 */
export const webchatVisitors = tenantTable(
  'webchat_visitors',
  ['visitorId'],
  {
    visitorId: uuid('visitor_id').notNull(),
    botId: uuid('bot_id').notNull(),
    integrationId: uuid('integration_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    /** The newest change of who handles the conversation that was noted. */
    handlingChangeId: uuid('handling_change_id'),
    /** The site's own identifier of a verified visitor; `null` for all others. */
    userId: text('user_id'),
    name: text().notNull(),
    language: text(),
    /** The number of changes in the chat: each new or changed message has the next one. */
    lastSeq: bigint('last_seq', { mode: 'number' }).notNull().default(0),
    /** The visitor has seen everything up to this number. */
    readTo: bigint('read_to', { mode: 'number' }).notNull().default(0),
    /** When the first answer came that no window has got, of a visitor with an address for answers. */
    missedAt: moment('missed_at'),
    createdAt: createdAt(),
    lastSeenAt: moment('last_seen_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('webchat_visitors_verified')
      .on(table.tenantId, table.botId, table.userId)
      .where(sql`user_id is not null`),
    index('webchat_visitors_by_conversation').on(table.tenantId, table.conversationId),
    index('webchat_visitors_begun').on(table.tenantId, table.integrationId, table.createdAt),
    index('webchat_visitors_by_age').on(table.lastSeenAt),
    index('webchat_visitors_missing').on(table.tenantId, table.missedAt).where(sql`missed_at is not null`),
  ],
);

/** The browsers of a visitor. Only a hash of the token is stored. */
export const webchatSessions = tenantTable(
  'webchat_sessions',
  ['tokenHash'],
  {
    tokenHash: text('token_hash').notNull(),
    visitorId: uuid('visitor_id').notNull(),
    createdAt: createdAt(),
    /** A session of a verified visitor ends with what the site has vouched for. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('webchat_sessions_of_visitor').on(table.tenantId, table.visitorId),
    index('webchat_sessions_by_age').on(table.expiresAt),
  ],
);

/** The messages of the windows: a copy of the conversation, from which windows catch up by `seq`. */
export const webchatMessages = tenantTable(
  'webchat_messages',
  ['messageId'],
  {
    messageId: uuid('message_id').notNull(),
    visitorId: uuid('visitor_id').notNull(),
    /** Its place in the window, which never changes. */
    position: bigint({ mode: 'number' }).notNull(),
    /** The number of its newest change. */
    seq: bigint({ mode: 'number' }).notNull(),
    author: text({ enum: ['visitor', 'bot', 'staff', 'notice'] }).notNull(),
    /** The window's own number of a visitor's message: what is sent twice is one message. */
    clientId: text('client_id'),
    /** The part of a reply: what is sent twice is one message. */
    partId: uuid('part_id'),
    /** Markdown of the bot and of staff, plain text of a visitor, the kind of a notice; empty once deleted. */
    text: text().notNull(),
    /** Texts that the visitor can choose from. */
    choices: jsonb().$type<readonly string[]>(),
    file: jsonb().$type<StoredFile>(),
    /** The end of an agent's answer, where the visitor can rate it. */
    isRateable: boolean('is_rateable').notNull().default(false),
    rating: text({ enum: ['up', 'down'] }),
    createdAt: createdAt(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    uniqueIndex('webchat_messages_by_client')
      .on(table.tenantId, table.visitorId, table.clientId)
      .where(sql`client_id is not null`),
    uniqueIndex('webchat_messages_by_part').on(table.tenantId, table.partId).where(sql`part_id is not null`),
    index('webchat_messages_in_order').on(table.tenantId, table.visitorId, table.seq),
    index('webchat_messages_by_age').on(table.createdAt),
  ],
);
