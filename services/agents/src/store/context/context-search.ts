import type { TenantTx } from '@botyard/shared/db/database';

/** A passage that fits a search; the higher the score, the better. */
export interface FoundChunk {
  sourceId: string;
  chunkId: string;
  title: string;
  heading: string;
  text: string;
  score: number;
}

/**
 * The tenant's passages that hold words of the query, best first: in all its documents, or in these. A document that is
 * still being read, or couldn't be, is in none.
 */
export async function searchChunks(
  tx: TenantTx,
  tenantId: string,
  search: { query: string; limit: number; sourceIds?: readonly string[] | undefined },
): Promise<FoundChunk[]> {
  return await tx.query<FoundChunk & Record<string, unknown>>({
    name: 'agents.context_chunks.search',
    text: `select c.source_id as "sourceId", c.chunk_id as "chunkId", s.title, c.heading, c.text,
             ts_rank_cd(c.words, wanted.query, 1)::float8 as score
           from (select to_tsquery('simple', coalesce(string_agg(quote_literal(word), ' | '), '')) as query
                 from unnest(tsvector_to_array(to_tsvector('simple', $2))) as word) wanted
           join agents.context_chunks c on c.words @@ wanted.query and c.tenant_id = $1
           join agents.context_sources s on s.tenant_id = c.tenant_id and s.source_id = c.source_id and s.status = 'ready'
           where $3::uuid[] is null or c.source_id = any ($3)
           order by score desc, c.chunk_id limit $4`,
    values: [tenantId, search.query.slice(0, 2000), search.sourceIds ?? null, search.limit],
  });
}
