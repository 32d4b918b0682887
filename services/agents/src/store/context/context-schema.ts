import type { SourceStatus, SourceType } from '@botyard/shared/contracts/context-sources';
import { createdAt, moment, tenantPolicy } from '@botyard/shared/db/columns';
import { customType, index, integer, primaryKey, sql, text, uuid } from '@botyard/shared/db/drizzle';
import { agents } from '../schema.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/** Documents that a tenant's agents look things up in. */
export const contextSources = agents.table(
  'context_sources',
  {
    tenantId: uuid('tenant_id').notNull(),
    sourceId: uuid('source_id').notNull().unique(),
    title: text().notNull(),
    type: text().$type<SourceType>().notNull(),
    sizeBytes: integer('size_bytes').notNull(),
    /** Of the bytes that were given, so that the same document is known again. */
    sha256: text().notNull(),
    status: text().$type<SourceStatus>().notNull(),
    lastError: text('last_error'),
    chunkCount: integer('chunk_count').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.sourceId] }), tenantPolicy()],
);

/** A passage of a document, small enough to be shown to a model. */
export const contextChunks = agents.table(
  'context_chunks',
  {
    tenantId: uuid('tenant_id').notNull(),
    chunkId: uuid('chunk_id').notNull(),
    sourceId: uuid('source_id').notNull(),
    /** Order within the document: 0, 1, 2, … */
    position: integer().notNull(),
    /** The headings above it. */
    heading: text().notNull(),
    text: text().notNull(),
    /** Word forms are left as they are: tenants write in many languages. */
    words: tsvector()
      .notNull()
      .generatedAlwaysAs(
        sql`setweight(to_tsvector('simple', heading), 'A') || setweight(to_tsvector('simple', text), 'B')`,
      ),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.chunkId] }),
    index('context_chunks_by_source').on(table.tenantId, table.sourceId, table.position),
    index('context_chunks_by_words').using('gin', table.words),
    tenantPolicy(),
  ],
);
