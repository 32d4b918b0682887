import type { ContextSource, contextSourcesRouter } from '@botyard/contracts/http/context-sources';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { contentOfText } from '../domain/content.ts';
import { addSource, deleteSource, replaceSource, updateSource } from '../domain/sources.ts';
import { searchChunks } from '../store/context-search.ts';
import { getSource, listChunks, listSources, type SourceRow } from '../store/context-sources.ts';

export const contextSourcesHandlers: Handlers<typeof contextSourcesRouter, Deps> = {
  listSources: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listSources(tx, tenantId, query), query, toSource, ({ sourceId }) => sourceId),
    ),

  createSource: async ({ tenantId, body: { title, type, text } }, deps) =>
    toSource(await addSource(deps, { tenantId, title }, contentOfText(type, text))),

  uploadSource: async ({ tenantId, query: { title }, body }, deps) =>
    toSource(await addSource(deps, { tenantId, title }, await deps.texts.contentOfFile(tenantId, body))),

  searchSources: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], (tx) => searchChunks(tx, tenantId, body)),

  getSource: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const row = await getSource(tx, { tenantId, sourceId: params.sourceId });
      if (!row) throw notFound('source');
      return toSource(row);
    }),

  updateSource: async ({ tenantId, params: { sourceId }, body }, deps) =>
    toSource(await updateSource(deps, { tenantId, sourceId }, body)),

  replaceSource: async ({ tenantId, params: { sourceId }, body }, deps) =>
    toSource(
      await replaceSource(deps, { tenantId, sourceId }, await deps.texts.contentOfFile(tenantId, body)),
    ),

  deleteSource: ({ tenantId, params: { sourceId } }, deps) => deleteSource(deps, { tenantId, sourceId }),

  listChunks: ({ tenantId, params: { sourceId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const key = { tenantId, sourceId };
      if (!(await getSource(tx, key))) throw notFound('source');
      const rows = await listChunks(tx, key, { limit: query.limit, after: Number(query.before ?? -1) });
      return pageOf(
        rows,
        query,
        (row) => row,
        ({ position }) => String(position),
      );
    }),
};

const toSource = ({ createdAt, updatedAt, ...row }: SourceRow): ContextSource => ({
  ...row,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
