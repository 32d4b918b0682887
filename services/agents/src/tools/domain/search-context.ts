import { withTenant } from '@botyard/shared/db/database';
import { type FoundChunk, searchChunks } from '../../knowledge/store/context-search.ts';
import type { Tool } from './tool.ts';

const maxUnitsOfPassage = 1500;

/** Passages with numbers, best first; each is cited. */
export const searchContext: Tool<'search_context'> = async ({ database }, use) => {
  const { tenantId, settings, parameters } = use;
  const { limit, sourceIds } = settings;
  const search = { query: parameters.query, limit, sourceIds };
  const found = await withTenant(database, [tenantId], (tx) => searchChunks(tx, tenantId, search));
  if (found.length === 0) return { text: 'Nothing was found. Other words may find something.' };
  return {
    text: found.map(passage).join('\n\n'),
    citations: found.map(({ sourceId, chunkId, title, score }) => ({ sourceId, chunkId, title, score })),
  };
};

function passage({ title, heading, text }: FoundChunk, index: number): string {
  const place = heading ? `${title}, ${heading}` : title;
  const shown = text.length <= maxUnitsOfPassage ? text : `${text.slice(0, maxUnitsOfPassage)}…`;
  return `[${index + 1}] ${place}\n${shown.toWellFormed()}`;
}
