import type { TenantTx } from '@botyard/shared/db/database';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { v7 as uuidv7 } from 'uuid';
import { contextChunks, contextOriginals, contextSources } from '../../store/context-schema.ts';

const claimedSource = columns(
  pick(alias(contextSources, 'q'), 'tenantId', 'sourceId', 'type', 'revision', 'attempts'),
);
/** A document claimed by this worker. Revision and attempts are its fence. */
export type ClaimedSource = RowOf<typeof claimedSource>;

export const sourceQueue: QueueTable<ClaimedSource> = {
  table: 'agents.context_sources',
  key: ['tenantId', 'sourceId', 'revision'],
  columns: claimedSource,
  leaseSeconds: 10,
  fence: 'attempts',
};

const keyOf = ({ tenantId, sourceId, revision, attempts }: ClaimedSource) => ({
  tenantId,
  sourceId,
  revision,
  attempts,
});
const isHeld = `tenant_id = $tenantId and source_id = $sourceId and revision = $revision and attempts = $attempts
  and ready_at is not null`;

export const getOriginal = preparedStatement({
  name: 'agents.context_originals.get',
  text: typedSql`select ${columns({ bytes: contextOriginals.bytes })} from agents.context_originals where tenant_id = $tenantId and source_id = $sourceId
           and exists (select from agents.context_sources where ${isHeld})`,
  values: keyOf,
  result: ([row]) => row?.bytes,
});

export interface NewChunk {
  heading: string;
  text: string;
  /** In the format of a `tsvector`. */
  words: string;
}

const { chunkId, heading, text, words } = getTableColumns(contextChunks);
const passages = unnest('passages', { chunkId, heading, text, words });
const rowsAtOnce = 500;

/** Replaces a document's passages. */
export async function replaceChunks(
  tx: TenantTx,
  { tenantId, sourceId }: Pick<ClaimedSource, 'tenantId' | 'sourceId'>,
  chunks: readonly NewChunk[],
): Promise<void> {
  await tx.query({
    name: 'agents.context_chunks.clear',
    text: 'delete from agents.context_chunks where tenant_id = $1 and source_id = $2',
    values: [tenantId, sourceId],
  });
  for (let begin = 0; begin < chunks.length; begin += rowsAtOnce) {
    const some = chunks.slice(begin, begin + rowsAtOnce);
    await tx.query({
      name: 'agents.context_chunks.insert',
      text: `insert into agents.context_chunks (tenant_id, source_id, position, ${passages.columns})
             select $tenantId, $sourceId, $begin + ordinality - 1, ${passages.columns} from ${passages.numbered}`,
      values: {
        tenantId,
        sourceId,
        begin,
        ...passages.values(some.map((chunk) => ({ ...chunk, chunkId: uuidv7() }))),
      },
    });
  }
}

/**
 * Saves that the document has been read, or can't be. Returns `false` if the claim was lost: then nothing may be saved.
 */
export const endReading = preparedStatement({
  name: 'agents.context_sources.end',
  text: `with ended as (
           update agents.context_sources set status = case when $lastError::text is null then 'ready' else 'failed' end,
             chunk_count = coalesce($chunkCount, chunk_count), last_error = $lastError, ready_at = null, lease_until = null, updated_at = now()
           where ${isHeld} returning tenant_id, source_id)
         delete from agents.context_originals o using ended e
         where o.tenant_id = e.tenant_id and o.source_id = e.source_id returning 1`,
  values: (claimed: ClaimedSource, result: { chunkCount: number } | { lastError: string }) => ({
    ...keyOf(claimed),
    chunkCount: 'chunkCount' in result ? result.chunkCount : null,
    lastError: 'lastError' in result ? result.lastError : null,
  }),
  result: (rows) => rows.length > 0,
});

/** Releases the document, which is read again after the given time. An interrupted attempt isn't counted. */
export const releaseReading = preparedStatement({
  name: 'agents.context_sources.release',
  text: `update agents.context_sources set lease_until = null, attempts = attempts - case when $isTry then 0 else 1 end,
           ready_at = now() + make_interval(secs => $waitMs::float8 / 1000) where ${isHeld}`,
  values: (claimed: ClaimedSource, { waitMs, isTry }: { waitMs: number; isTry: boolean }) => ({
    ...keyOf(claimed),
    waitMs,
    isTry,
  }),
});
