import type { StorageLimit } from '@botyard/contracts/events/storage';
import type { UpdateSourceBody } from '@botyard/contracts/http/context-sources';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  type Content,
  findSourceByContent,
  getDocumentLimit,
  getSource,
  insertSource,
  lockSources,
  replaceContent,
  type SourceKey,
  type SourceRow,
  saveDocumentLimit,
  sumSources,
  updateTitle,
} from '../store/context-sources.ts';
import { contentOfText } from './content.ts';

const maxDocuments = 1000;

/**
 * Accepts a document, which is read in the background. @throws HttpError 409 for content that is already stored, or
 * beyond the tenant's limits.
 */
export async function addSource(
  deps: Deps,
  source: { tenantId: string; title: string },
  content: Content,
): Promise<SourceRow> {
  const { tenantId } = source;
  return await withTenant(deps.database, [tenantId], async (tx) => {
    await lockSources(tx, tenantId);
    await requireRoom(deps, tx, { tenantId, content });
    const row = await insertSource(tx, { ...source, sourceId: uuidv7() }, content);
    tx.afterCommit(() => deps.documents.wake());
    return row;
  });
}

/** Changes the title, the text, or both. @throws HttpError 404, 409 as `addSource`. */
export async function updateSource(
  deps: Deps,
  key: SourceKey,
  { title, type, text }: UpdateSourceBody,
): Promise<SourceRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const storedSource = await lockSource(tx, key);
    if (text !== undefined) {
      const kind = type ?? (storedSource.type === 'pdf' ? 'text' : storedSource.type);
      await renew(deps, tx, storedSource, contentOfText(kind, text));
    }
    if (title !== undefined) await updateTitle(tx, key, title);
    return await requireSource(tx, key);
  });
}

/** Replaces the content with a file. @throws HttpError 404, 409 as `addSource`. */
export async function replaceSource(deps: Deps, key: SourceKey, content: Content): Promise<SourceRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    await renew(deps, tx, await lockSource(tx, key), content);
    return await requireSource(tx, key);
  });
}

/** Has no effect for identical content, unless it couldn't be read. */
async function renew(deps: Deps, tx: TenantTx, known: SourceRow, content: Content): Promise<void> {
  const isSame = known.sha256 === content.sha256 && known.type === content.type;
  if (isSame && known.status !== 'failed') return;
  await requireRoom(deps, tx, { tenantId: known.tenantId, content, replaced: known });
  await replaceContent(tx, known, content);
  tx.afterCommit(() => deps.documents.wake());
}

/** The document as the other changes of the tenant leave it: its size counts for the limit. */
async function lockSource(tx: TenantTx, key: SourceKey): Promise<SourceRow> {
  await lockSources(tx, key.tenantId);
  return await requireSource(tx, key);
}

const requireSource = async (tx: TenantTx, key: SourceKey): Promise<SourceRow> =>
  found(await getSource(tx, key), 'source');

/** The storage that a tenant's documents use, and its limit. Sets the operator's limit first, if given. */
export async function readDocumentStorage(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  { tenantId, ownLimit }: { tenantId: string; ownLimit?: number | null | undefined },
): Promise<StorageLimit> {
  const defaultLimit = config.TENANT_DOCUMENT_BYTES;
  return await withTenant(database, [tenantId], async (tx) => {
    if (ownLimit !== undefined) await saveDocumentLimit(tx, tenantId, ownLimit);
    const own = await getDocumentLimit(tx, tenantId);
    const { bytes: used } = await sumSources(tx, tenantId);
    return { limit: own ?? defaultLimit, ownLimit: own, defaultLimit, used };
  });
}

/** The caller has locked the tenant's documents. */
async function requireRoom(
  { config }: Pick<Deps, 'config'>,
  tx: TenantTx,
  { tenantId, content, replaced }: { tenantId: string; content: Content; replaced?: SourceRow },
): Promise<void> {
  const same = await findSourceByContent(tx, tenantId, content.sha256);
  if (same && same.sourceId !== replaced?.sourceId)
    throw conflict(`the tenant already has this document: it is “${same.title}”`);
  const { documents, bytes } = await sumSources(tx, tenantId);
  if (!replaced && documents >= maxDocuments)
    throw conflict(`a tenant has ${maxDocuments} documents at most: delete one first`);
  const limit = (await getDocumentLimit(tx, tenantId)) ?? config.TENANT_DOCUMENT_BYTES;
  if (limit !== null && bytes - (replaced?.sizeBytes ?? 0) + content.sizeBytes > limit)
    throw conflict(
      `the documents of this tenant may have at most ${limit} bytes: delete one, or ask the operator for a higher limit`,
    );
}
