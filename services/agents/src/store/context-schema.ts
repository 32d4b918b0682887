import type { SourceStatus, SourceType } from '@botyard/contracts/http/context-sources';
import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import { bigint, customType, index, integer, sql, text, unique, uuid } from '@botyard/shared/db/drizzle';
import { agents, tenantTable } from './schema.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });
const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** Documents that a tenant's agents search. */
export const contextSources = tenantTable(
  'context_sources',
  ['sourceId'],
  {
    sourceId: uuid('source_id').notNull().unique(),
    title: text().notNull(),
    type: text().$type<SourceType>().notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    /** The hash of the original bytes, which identifies repeated documents. */
    sha256: text().notNull(),
    status: text().$type<SourceStatus>().notNull(),
    lastError: text('last_error'),
    /**
     * The number of searchable passages. While new content is being read, or if it can't be, they are from the old
     * content.
     */
    chunkCount: integer('chunk_count').notNull().default(0),
    /** The time from which a worker may read it; `null` when there is nothing to read. */
    readyAt: moment('ready_at'),
    leaseUntil: moment('lease_until'),
    /** Claims since the content was stored; part of the reader's fence. */
    attempts: integer().notNull().default(0),
    /** Grows with each new content: results for an older one are discarded. */
    revision: integer().notNull().default(1),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    unique('context_sources_by_content').on(table.tenantId, table.sha256),
    index('context_sources_ready').on(table.tenantId, table.readyAt).where(sql`ready_at is not null`),
  ],
);

/** A document's content until it is read: its text in UTF-8, or the PDF. */
export const contextOriginals = tenantTable('context_originals', ['sourceId'], {
  sourceId: uuid('source_id').notNull(),
  bytes: bytea().notNull(),
});

/** An operator's limit on the bytes of a tenant's documents. */
export const documentLimits = agents.table(
  'document_limits',
  { tenantId: uuid('tenant_id').primaryKey(), bytes: bigint({ mode: 'number' }).notNull() },
  () => [tenantPolicy()],
);

/** A passage of a document, small enough for a model. */
export const contextChunks = tenantTable(
  'context_chunks',
  ['chunkId'],
  {
    chunkId: uuid('chunk_id').notNull(),
    sourceId: uuid('source_id').notNull(),
    /** The order within the document: 0, 1, 2, … */
    position: integer().notNull(),
    /** The headings above the passage. */
    heading: text().notNull(),
    text: text().notNull(),
    /**
     * The words of heading and text, normalized and split by `words.ts`: the database knows neither the languages nor
     * their scripts.
     */
    words: tsvector().notNull(),
  },
  (table) => [
    index('context_chunks_by_source').on(table.tenantId, table.sourceId, table.position),
    index('context_chunks_by_words').using('gin', table.words),
  ],
);

/** Summaries of messages that no longer fit into a model's window, for agents that keep one. */
export const summaries = tenantTable('summaries', ['conversationId'], {
  conversationId: uuid('conversation_id').notNull(),
  /** `null` before the first one is written. */
  text: text(),
  /** No other worker writes a summary until then. After a failure this is a pause. */
  leaseUntil: moment('lease_until').notNull(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
});
