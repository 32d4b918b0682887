import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { number } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { contextChunks, contextSources } from '../../store/context-schema.ts';
import { tsqueriesOf } from './words.ts';

const { sourceId, chunkId, position, heading, text } = alias(contextChunks, 'c');
const chunkColumns = columns({
  sourceId,
  chunkId,
  position,
  title: alias(contextSources, 's').title,
  heading,
  text,
  score: number('ranked.score'),
});
/** A passage that matches a search. Higher scores are better. */
export type FoundChunk = RowOf<typeof chunkColumns>;

/** A word in more passages than this is common: it is searched for only when there is no rarer one. */
const commonFrom = 1000;

/**
 * A word's weight is its rarity among the tenant's passages (as in BM25), so that "the" has no influence. The statement
 * counts each word up to a bound, chooses the rare ones, and ranks the passages that have any of them.
 */
const searchText = typedSql`with wanted as materialized (
    select query::tsquery as query, (select count(*) from (select from agents.context_chunks c
      where c.tenant_id = $1 and c.words @@ query::tsquery limit ${commonFrom}) found) as chunks
    from unnest($2::text[]) as query),
  total as (select coalesce(sum(chunk_count), 0) as chunks from agents.context_sources where tenant_id = $1),
  chosen as materialized (
    select w.query, ln(1 + greatest(t.chunks - w.chunks + 0.5, 0.5) / (w.chunks + 0.5))::float8 as weight
    from (select query, chunks, min(chunks) over () as fewest, row_number() over (order by chunks) as place
          from wanted where chunks > 0) w cross join total t
    where w.chunks < ${commonFrom} or (w.fewest = ${commonFrom} and w.place <= 3))
  select ${chunkColumns}
  from (select c.chunk_id, (select sum(weight * ts_rank(c.words, query)) from chosen)::float8 as score
        from agents.context_chunks c
        where c.tenant_id = $1 and c.words @@ (select string_agg('(' || query::text || ')', ' | ')::tsquery from chosen)
          and ($3::uuid[] is null or c.source_id = any ($3))
        order by score desc, c.chunk_id limit $4) ranked
  join agents.context_chunks c on c.tenant_id = $1 and c.chunk_id = ranked.chunk_id
  join agents.context_sources s on s.tenant_id = $1 and s.source_id = c.source_id
  order by ranked.score desc, c.chunk_id`;

/**
 * The tenant's passages with words of the query, best first, in the given documents or in all. While a changed document
 * is being read, its old passages are found.
 */
export async function searchChunks(
  tx: TenantTx,
  tenantId: string,
  search: { query: string; limit: number; sourceIds?: readonly string[] | undefined },
): Promise<FoundChunk[]> {
  const queries = tsqueriesOf(search.query.slice(0, 2000));
  if (queries.length === 0) return [];
  return await tx.query({
    name: 'agents.context_chunks.search',
    text: searchText,
    values: [tenantId, queries, search.sourceIds ?? null, search.limit],
  });
}
