import { withMoments } from '@botyard/contracts/http/common';
import type { contextSourcesRouter } from '@botyard/contracts/http/context-sources';
import { pageOfRows } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem, tenantRemoval } from '@botyard/shared/http/tenant-item';
import type { Deps } from '../deps.ts';
import { contentOfText } from '../domain/content.ts';
import { addSource, replaceSource, updateSource } from '../domain/sources.ts';
import { searchChunks } from '../store/context-search.ts';
import { deleteSource, getSource, listChunks, listSources } from '../store/context-sources.ts';

export const contextSourcesHandlers: Handlers<typeof contextSourcesRouter, Deps> = {
  listSources: tenantPage(listSources, withMoments, ({ sourceId }) => sourceId),

  createSource: async ({ tenantId, body: { title, type, text } }, deps) =>
    withMoments(await addSource(deps, { tenantId, title }, contentOfText(type, text))),

  uploadSource: async ({ tenantId, query: { title }, body }, deps) =>
    withMoments(await addSource(deps, { tenantId, title }, await deps.texts.contentOfFile(tenantId, body))),

  searchSources: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], (tx) => searchChunks(tx, tenantId, body)),

  getSource: tenantItem('source', getSource, withMoments),

  updateSource: async ({ tenantId, params: { sourceId }, body }, deps) =>
    withMoments(await updateSource(deps, { tenantId, sourceId }, body)),

  replaceSource: async ({ tenantId, params: { sourceId }, body }, deps) =>
    withMoments(
      await replaceSource(deps, { tenantId, sourceId }, await deps.texts.contentOfFile(tenantId, body)),
    ),

  deleteSource: tenantRemoval('source', deleteSource),

  listChunks: ({ tenantId, params: { sourceId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const key = { tenantId, sourceId };
      found(await getSource(tx, key), 'source');
      const rows = await listChunks(tx, key, { limit: query.limit, after: Number(query.before ?? -1) });
      return pageOfRows(rows, query, ({ position }) => String(position));
    }),
};
