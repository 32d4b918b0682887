import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '@botyard/shared/db/drizzle';
import { belongsTo } from './belongs-to.ts';
import { agents, tenantTable } from './schema.ts';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/**
 * How long a tenant keeps messages in the database, and in its archive. Without a row nothing is archived
 * automatically.
 */
export const archiveSettings = agents.table(
  'archive_settings',
  {
    tenantId: uuid('tenant_id').primaryKey(),
    isEnabled: boolean('is_enabled').notNull(),
    archiveAfterDays: integer('archive_after_days').notNull(),
    /** `null`: messages stay in the database as well as in the archive. */
    trimAfterDays: integer('trim_after_days'),
    /** `null`: the archive keeps them without a limit. */
    deleteAfterDays: integer('delete_after_days'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  () => [tenantPolicy()],
);

export const archiveJobs = tenantTable(
  'archive_jobs',
  ['jobId'],
  {
    jobId: uuid('job_id').notNull().unique(),
    kind: text({ enum: ['archive', 'trim', 'check'] }).notNull(),
    state: text({ enum: ['queued', 'running', 'done', 'failed', 'cancelled'] }).notNull(),
    botId: uuid('bot_id'),
    conversationId: uuid('conversation_id'),
    /** Messages from this moment on are not touched. */
    before: moment('before').notNull(),
    /** The last finished message or file. */
    cursor: uuid('cursor'),
    messagesTotal: bigint('messages_total', { mode: 'number' }),
    messagesDone: count('messages_done'),
    filesDone: count('files_done'),
    bytesDone: count('bytes_done'),
    /** Files whose bytes differ from the written ones: the first 100. */
    faults: jsonb().$type<{ fileId: string; fault: string }[]>().notNull().default([]),
    /** Claims since the last finished batch. */
    attempts: integer().notNull().default(0),
    fence: count('fence'),
    readyAt: moment('ready_at').notNull().defaultNow(),
    leaseUntil: moment('lease_until'),
    lastError: text('last_error'),
    /** `null` if the schedule created the job. */
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    uniqueIndex('archive_jobs_one_of_a_kind')
      .on(table.tenantId, table.kind)
      .where(sql`state in ('queued', 'running')`),
    index('archive_jobs_ready').on(table.readyAt).where(sql`state in ('queued', 'running')`),
  ],
);

/** A file of messages in the object store: compressed NDJSON, in the order of their identifiers. */
export const archiveFiles = tenantTable(
  'archive_files',
  ['fileId'],
  {
    fileId: uuid('file_id').notNull(),
    jobId: uuid('job_id').notNull(),
    /**
     * `writing` until its bytes have been read back. The change to `kept` commits together with the marks of its
     * messages.
     */
    state: text({ enum: ['writing', 'kept'] }).notNull(),
    objectKey: text('object_key').notNull(),
    /** The key of a new version, noted before its bytes are written. */
    nextKey: text('next_key'),
    /** The key of the replaced version, to be removed. */
    oldKey: text('old_key'),
    sha256: text().notNull(),
    messages: integer().notNull(),
    rawBytes: integer('raw_bytes').notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    firstMessageId: uuid('first_message_id').notNull(),
    lastMessageId: uuid('last_message_id').notNull(),
    firstAt: moment('first_at').notNull(),
    lastAt: moment('last_at').notNull(),
    checkedAt: moment('checked_at'),
    /** The time at which its messages had left the database. */
    trimmedAt: moment('trimmed_at'),
    createdAt: createdAt(),
  },
  (table) => [
    index('archive_files_by_time').on(table.tenantId, table.lastMessageId),
    index('archive_files_unfinished')
      .on(table.createdAt)
      .where(sql`state = 'writing' or next_key is not null or old_key is not null`),
  ],
);

/** The contents of a file per chat, which searches use. */
export const archiveChats = tenantTable(
  'archive_chats',
  ['fileId', 'conversationId'],
  {
    fileId: uuid('file_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    botId: uuid('bot_id').notNull(),
    messages: integer().notNull(),
    rawBytes: integer('raw_bytes').notNull(),
    firstAt: moment('first_at').notNull(),
    lastAt: moment('last_at').notNull(),
    /** The authors, with the same identifiers as `people.person_id`. */
    personIds: uuid('person_ids').array().notNull(),
  },
  (table) => [
    index('archive_chats_by_chat').on(table.tenantId, table.conversationId, table.fileId),
    index('archive_chats_by_bot').on(table.tenantId, table.botId, table.conversationId),
    belongsTo('archive_chats_of_file', table, archiveFiles, { fileId: 'fileId' }),
  ],
);
