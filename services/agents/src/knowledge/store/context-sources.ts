import type { SourceStatus } from '@botyard/contracts/http/context-sources';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, eq, gt } from '@botyard/shared/db/drizzle';
import { count, sum } from '@botyard/shared/db/expressions';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import {
  contextChunks,
  contextOriginals,
  contextSources,
  documentLimits,
} from '../../store/context-schema.ts';

export type SourceRow = typeof contextSources.$inferSelect;
type ChunkRow = Pick<typeof contextChunks.$inferSelect, 'chunkId' | 'position' | 'heading' | 'text'>;

/** Identifiers of a tenant's document. */
export interface SourceKey {
  tenantId: string;
  sourceId: string;
}

/** The properties of a document's content before it is read. */
export type Content = Pick<SourceRow, 'type' | 'sizeBytes' | 'sha256'> & { bytes: Buffer };

const stored = rowsOf(contextSources, 'tenantId', 'sourceId');
export const getSource = stored.get;

const refusals = {
  context_sources_by_content: (cause: unknown) => conflict('the tenant already has this document', { cause }),
};

/** Serializes changes, so that concurrent requests can't exceed a limit. */
export const lockSources = (tx: TenantTx, tenantId: string): Promise<void> =>
  lockNamed(tx, `context_sources ${tenantId}`);

/** The number and size of a tenant's documents. */
export const sumSources = preparedStatement({
  name: 'agents.context_sources.sum',
  text: typedSql`select ${columns({ documents: count(), bytes: sum('size_bytes'), chunks: sum('chunk_count') })}
         from agents.context_sources where tenant_id = $1`,
  values: (tenantId: string) => [tenantId],
  result: ([row]) => row!,
});

export const findSourceByContent = (tx: TenantTx, tenantId: string, sha256: string) =>
  stored.first(tx, { tenantId, sha256 });

/** @throws HttpError 409 when the tenant already has this content. */
export async function insertSource(
  tx: TenantTx,
  source: SourceKey & { title: string },
  { bytes, ...content }: Content,
): Promise<SourceRow> {
  const values = { ...source, ...content, status: 'processing' as const, readyAt: new Date() };
  const [row] = await translated(tx.db.insert(contextSources).values(values).returning(), refusals);
  await tx.db
    .insert(contextOriginals)
    .values({ tenantId: source.tenantId, sourceId: source.sourceId, bytes });
  return row!;
}

/**
 * Replaces a document's content and has it read again. The result of a running reader is discarded. @throws HttpError
 * 409 as `insertSource`.
 */
export async function replaceContent(
  tx: TenantTx,
  key: SourceKey,
  { bytes, ...content }: Content,
): Promise<void> {
  await translated(
    tx.query({
      name: 'agents.context_sources.replace',
      text: `update agents.context_sources set type = $3, size_bytes = $4, sha256 = $5, status = 'processing', last_error = null,
               ready_at = now(), lease_until = null, attempts = 0, revision = revision + 1, updated_at = now()
             where tenant_id = $1 and source_id = $2`,
      values: [key.tenantId, key.sourceId, content.type, content.sizeBytes, content.sha256],
    }),
    refusals,
  );
  await tx.query({
    name: 'agents.context_originals.put',
    text: `insert into agents.context_originals (tenant_id, source_id, bytes) values ($1, $2, $3)
           on conflict (tenant_id, source_id) do update set bytes = excluded.bytes`,
    values: [key.tenantId, key.sourceId, bytes],
  });
}

export const updateTitle = (tx: TenantTx, key: SourceKey, title: string) =>
  stored.update(tx, key, { title, updatedAt: new Date() });

/** Documents, newest first, one more than the page's limit. */
export const listSources = (
  tx: TenantTx,
  tenantId: string,
  { status, ...page }: PageRequest & { status?: SourceStatus | undefined },
) => stored.list(tx, { tenantId, status }, page);

/** The passages after a position in the document, in order, one more than the limit. */
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

/** Deletes a document with its passages. Returns `false` for an unknown one. */
export async function deleteSource(tx: TenantTx, key: SourceKey): Promise<boolean> {
  const wasThere = await stored.remove(tx, key);
  const { tenantId, sourceId } = key;
  await tx.db
    .delete(contextChunks)
    .where(and(eq(contextChunks.tenantId, tenantId), eq(contextChunks.sourceId, sourceId)));
  await tx.db
    .delete(contextOriginals)
    .where(and(eq(contextOriginals.tenantId, tenantId), eq(contextOriginals.sourceId, sourceId)));
  return wasThere;
}

/** An operator's limit; `null`: the setting applies. */
export async function getDocumentLimit(tx: TenantTx, tenantId: string): Promise<number | null> {
  const [row] = await tx.db.select().from(documentLimits).where(eq(documentLimits.tenantId, tenantId));
  return row?.bytes ?? null;
}

export async function saveDocumentLimit(tx: TenantTx, tenantId: string, bytes: number | null): Promise<void> {
  if (bytes === null) await tx.db.delete(documentLimits).where(eq(documentLimits.tenantId, tenantId));
  else
    await tx.db
      .insert(documentLimits)
      .values({ tenantId, bytes })
      .onConflictDoUpdate({ target: documentLimits.tenantId, set: { bytes } });
}
