import { withMoments } from '@botyard/contracts/http/common';
import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { Page } from '@botyard/contracts/http/page';
import { sortedPageOf } from '@botyard/contracts/http/sorted-page';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { requireDefinition, shown } from '../domain/definitions.ts';
import type { AgentVersionRow } from '../store/agent-versions.ts';
import {
  type DefinitionKey,
  type DefinitionRows,
  type DefinitionsRequest,
  listDefinitions,
  placeOfDefinition,
} from '../store/definitions.ts';
import { type Shown, withPublications } from '../store/publications.ts';

/** A definition in its wire form; the contract drops other fields. */
export const toDefinition = <Row extends DefinitionRows[DefinitionKind]>({
  publication,
  ...row
}: Shown<Row>) => ({
  ...withMoments(row),
  publication: publication && withMoments(publication),
});

export type Wire<Kind extends DefinitionKind> = ReturnType<typeof toDefinition<DefinitionRows[Kind]>>;

export const toVersion = ({ content, ...row }: AgentVersionRow & { isCurrent: boolean }) => ({
  ...withMoments(row),
  definition: content,
});

export async function showPage<Kind extends DefinitionKind>(
  { database }: Pick<Deps, 'database'>,
  kind: Kind,
  { tenantId, query }: { tenantId: string; query: DefinitionsRequest },
): Promise<Page<Wire<Kind>>> {
  return await withTenant(database, [tenantId], async (tx) => {
    const rows = await listDefinitions(tx, kind, { tenantId, ...query });
    const published = await withPublications(tx, kind, rows);
    return sortedPageOf(published, query, toDefinition<DefinitionRows[Kind]>, placeOfDefinition);
  });
}

export async function showOne<Kind extends DefinitionKind>(
  { database }: Pick<Deps, 'database'>,
  kind: Kind,
  key: DefinitionKey,
): Promise<Wire<Kind>> {
  return await withTenant(database, [key.tenantId], async (tx) =>
    toDefinition<DefinitionRows[Kind]>(await shown(tx, kind, await requireDefinition(tx, kind, key))),
  );
}
