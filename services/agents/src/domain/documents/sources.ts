import type { UpdateSourceBody } from '@botyard/shared/contracts/context-sources';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import {
  type Content,
  deleteSource as deleteSourceRow,
  findSourceByContent,
  getSource,
  insertSource,
  lockSources,
  replaceContent,
  type SourceKey,
  type SourceRow,
  sumSources,
  updateTitle,
} from '../../store/context/context-sources.ts';
import { contentOfText } from './content.ts';

const mostDocuments = 1000;
const mostBytes = 200 * 1024 * 1024;

/** Takes a document; it is read in the background. @throws HttpError 409 for a known content, or beyond the tenant's limits. */
export async function addSource(
  deps: Deps,
  source: { tenantId: string; title: string },
  content: Content,
): Promise<SourceRow> {
  const { tenantId } = source;
  return await withTenant(deps.database, [tenantId], async (tx) => {
    await requireRoom(tx, tenantId, content);
    const row = await insertSource(tx, { ...source, sourceId: uuidv7() }, content);
    tx.afterCommit(deps.documents.wake);
    return row;
  });
}

/** A new title, a new text, or both. @throws HttpError 404, 409 as `addSource`. */
export async function updateSource(
  deps: Deps,
  key: SourceKey,
  { title, type, text }: UpdateSourceBody,
): Promise<SourceRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const known = await requireSource(tx, key);
    if (text !== undefined) {
      const kind = type ?? (known.type === 'pdf' ? 'text' : known.type);
      await renew(deps, tx, known, contentOfText(kind, text));
    }
    if (title !== undefined) await updateTitle(tx, key, title);
    return await requireSource(tx, key);
  });
}

/** A file in place of what there was. @throws HttpError 404, 409 as `addSource`. */
export async function replaceSource(deps: Deps, key: SourceKey, content: Content): Promise<SourceRow> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    await renew(deps, tx, await requireSource(tx, key), content);
    return await requireSource(tx, key);
  });
}

/** @throws HttpError 404. */
export async function deleteSource({ database }: Deps, key: SourceKey): Promise<void> {
  await withTenant(database, [key.tenantId], async (tx) => {
    if (!(await deleteSourceRow(tx, key))) throw notFound('source');
  });
}

/** The content that it has already changes nothing, unless it couldn't be read. */
async function renew(deps: Deps, tx: TenantTx, known: SourceRow, content: Content): Promise<void> {
  const isSame = known.sha256 === content.sha256 && known.type === content.type;
  if (isSame && known.status !== 'failed') return;
  await requireRoom(tx, known.tenantId, content, known);
  await replaceContent(tx, known, content);
  tx.afterCommit(deps.documents.wake);
}

async function requireSource(tx: TenantTx, key: SourceKey): Promise<SourceRow> {
  const row = await getSource(tx, key);
  if (!row) throw notFound('source');
  return row;
}

async function requireRoom(
  tx: TenantTx,
  tenantId: string,
  content: Content,
  replaced?: SourceRow,
): Promise<void> {
  await lockSources(tx, tenantId);
  const same = await findSourceByContent(tx, tenantId, content.sha256);
  if (same && same.sourceId !== replaced?.sourceId) {
    const details = { sourceId: same.sourceId };
    throw conflict('the tenant has this document already', { details });
  }
  const { documents, bytes } = await sumSources(tx, tenantId);
  if (!replaced && documents >= mostDocuments)
    throw conflict(`a tenant has ${mostDocuments} documents at most: delete one first`);
  if (bytes - (replaced?.sizeBytes ?? 0) + content.sizeBytes > mostBytes)
    throw conflict('the documents of a tenant have 200 MB at most: delete one first');
}
