import type { SourceStatus } from '@botyard/contracts/http/context-sources';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, desc, eq, gt, lt } from '@botyard/shared/db/drizzle';
import { count, sum } from '@botyard/shared/db/expressions';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import { contextChunks, contextOriginals, contextSources } from '../../store/context-schema.ts';

export type SourceRow = typeof contextSources.$inferSelect;
export type ChunkRow = Pick<typeof contextChunks.$inferSelect, 'chunkId' | 'position' | 'heading' | 'text'>;

/** Identifiers of a tenant's document. */
export interface SourceKey {
  tenantId: string;
  sourceId: string;
}

/** Facts about a content before it is read. */
export type Content = Pick<SourceRow, 'type' | 'sizeBytes' | 'sha256'> & { bytes: Buffer };

const isSource = ({ tenantId, sourceId }: SourceKey) =>
  and(eq(contextSources.tenantId, tenantId), eq(contextSources.sourceId, sourceId));

/** One at a time, so that concurrent requests can't exceed a limit. */
export async function lockSources(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.query({
    name: 'agents.context_sources.lock',
    text: `select pg_advisory_xact_lock(hashtextextended('context_sources ' || $1::text, 0))`,
    values: [tenantId],
  });
}

/** The number and size of a tenant's documents. */
export async function sumSources(
  tx: TenantTx,
  tenantId: string,
): Promise<{ documents: number; bytes: number; chunks: number }> {
  const [row] = await tx.query({
    name: 'agents.context_sources.sum',
    text: typedSql`select ${columns({ documents: count(), bytes: sum('size_bytes'), chunks: sum('chunk_count') })}
           from agents.context_sources where tenant_id = $1`,
    values: [tenantId],
  });
  return row!;
}

export async function findSourceByContent(
  tx: TenantTx,
  tenantId: string,
  sha256: string,
): Promise<SourceRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(contextSources)
    .where(and(eq(contextSources.tenantId, tenantId), eq(contextSources.sha256, sha256)));
  return row;
}

/** @throws HttpError 409 when the tenant already has this content. */
export async function insertSource(
  tx: TenantTx,
  source: SourceKey & { title: string },
  { bytes, ...content }: Content,
): Promise<SourceRow> {
  const [row] = await unlessKnown(
    tx.db
      .insert(contextSources)
      .values({ ...source, ...content, status: 'processing', readyAt: new Date() })
      .returning(),
  );
  await tx.db
    .insert(contextOriginals)
    .values({ tenantId: source.tenantId, sourceId: source.sourceId, bytes });
  return row!;
}

/** Replaces a document's content, which is then read; a running reader's result is discarded. @throws HttpError 409 as `insertSource`. */
export async function replaceContent(
  tx: TenantTx,
  key: SourceKey,
  { bytes, ...content }: Content,
): Promise<void> {
  await unlessKnown(
    tx.query({
      name: 'agents.context_sources.replace',
      text: `update agents.context_sources set type = $3, size_bytes = $4, sha256 = $5, status = 'processing', last_error = null,
               ready_at = now(), lease_until = null, attempts = 0, revision = revision + 1, updated_at = now()
             where tenant_id = $1 and source_id = $2`,
      values: [key.tenantId, key.sourceId, content.type, content.sizeBytes, content.sha256],
    }),
  );
  await tx.query({
    name: 'agents.context_originals.put',
    text: `insert into agents.context_originals (tenant_id, source_id, bytes) values ($1, $2, $3)
           on conflict (tenant_id, source_id) do update set bytes = excluded.bytes`,
    values: [key.tenantId, key.sourceId, bytes],
  });
}

async function unlessKnown<Result>(work: PromiseLike<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (isUniqueViolation(error, 'context_sources_by_content'))
      throw conflict('the tenant has this document already', { code: 'already_exists', cause: error });
    throw error;
  }
}

export async function updateTitle(tx: TenantTx, key: SourceKey, title: string): Promise<void> {
  await tx.db.update(contextSources).set({ title, updatedAt: new Date() }).where(isSource(key));
}

export async function getSource(tx: TenantTx, key: SourceKey): Promise<SourceRow | undefined> {
  const [row] = await tx.db.select().from(contextSources).where(isSource(key));
  return row;
}

/** Documents, newest first, one more than the page's limit. */
export async function listSources(
  tx: TenantTx,
  tenantId: string,
  page: PageRequest & { status?: SourceStatus | undefined },
): Promise<SourceRow[]> {
  return await tx.db
    .select()
    .from(contextSources)
    .where(
      and(
        eq(contextSources.tenantId, tenantId),
        page.status ? eq(contextSources.status, page.status) : undefined,
        page.before ? lt(contextSources.sourceId, page.before) : undefined,
      ),
    )
    .orderBy(desc(contextSources.sourceId))
    .limit(page.limit + 1);
}

/** Passages after a place of the document, in order, one more than the limit. */
export async function listChunks(
  tx: TenantTx,
  { tenantId, sourceId }: SourceKey,
  page: { limit: number; after: number },
): Promise<ChunkRow[]> {
  const { chunkId, position, heading, text } = contextChunks;
  return await tx.db
    .select({ chunkId, position, heading, text })
    .from(contextChunks)
    .where(
      and(
        eq(contextChunks.tenantId, tenantId),
        eq(contextChunks.sourceId, sourceId),
        gt(position, page.after),
      ),
    )
    .orderBy(asc(position))
    .limit(page.limit + 1);
}

/** `false` for an unknown one. Its passages are deleted with it. */
export async function deleteSource(tx: TenantTx, key: SourceKey): Promise<boolean> {
  const rows = await tx.db
    .delete(contextSources)
    .where(isSource(key))
    .returning({ id: contextSources.sourceId });
  const { tenantId, sourceId } = key;
  await tx.db
    .delete(contextChunks)
    .where(and(eq(contextChunks.tenantId, tenantId), eq(contextChunks.sourceId, sourceId)));
  await tx.db
    .delete(contextOriginals)
    .where(and(eq(contextOriginals.tenantId, tenantId), eq(contextOriginals.sourceId, sourceId)));
  return rows.length > 0;
}
