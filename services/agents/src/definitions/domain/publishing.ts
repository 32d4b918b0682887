import { isDeepStrictEqual } from 'node:util';
import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { MarketplaceItem, MarketplaceQuery } from '@botyard/contracts/http/definitions-marketplace';
import type { Page } from '@botyard/contracts/http/page';
import { type Database, type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import type { PublishedContent } from '../../store/definitions-schema.ts';
import type { Deps } from '../deps.ts';
import { type DefinitionKey, type DefinitionRows, updateDefinition } from '../store/definitions.ts';
import {
  getPublication,
  type ListedPublication,
  listPublished,
  type PublicationRow,
  type Shown,
  savePublication,
  withdrawPublication,
} from '../store/publications.ts';
import { changing } from './changing.ts';
import { contentOf } from './content.ts';
import { requireDefinition, shown } from './definitions.ts';
import { keepVersion } from './keep-version.ts';
import { publishable, summaryOf } from './publishable.ts';
import { requireTests } from './required-tests.ts';
import { shortPage } from './short-page.ts';

/**
 * Publishes a definition in its current state to every tenant, with all its parts. Publishing an unchanged one has no
 * effect. A version is never published with two contents: if only a part has changed, the definition gets a new
 * version. @throws HttpError 404, 422 when it can't be published, 409 when the agent's tests don't allow it.
 */
export async function publish<Kind extends DefinitionKind>(
  deps: Deps,
  kind: Kind,
  { key, by, overrideReason }: { key: DefinitionKey; by: string; overrideReason?: string | undefined },
): Promise<Shown<DefinitionRows[Kind]>> {
  return await changing(deps, key.tenantId, async (tx) => {
    let row = await requireDefinition(tx, kind, key);
    const content = publishable(await contentOf(tx, kind, row));
    const last = await getPublication(tx, { ...key, kind });
    const isSame = last !== undefined && isDeepStrictEqual(last.content, content);
    if (isSame && last.withdrawnAt === null) return await shown(tx, kind, row);
    if (kind === 'agent') {
      const agent = row as DefinitionRows['agent'];
      await requireTests(deps, tx, { before: agent, after: agent, by, overrideReason });
    }
    if (!isSame && last?.version === row.version) {
      const before = row;
      row = await updateDefinition(tx, kind, { key, change: {} });
      await keepVersion(tx, kind, { before, after: row, by });
    }
    await save(tx, { ...key, kind, version: isSame ? last.version : row.version }, content);
    return await shown(tx, kind, row);
  });
}

/**
 * Removes a definition from the marketplace; copies stay. Has no effect on an unpublished one. @throws HttpError 404.
 */
export async function unpublish<Kind extends DefinitionKind>(
  deps: Deps,
  kind: Kind,
  key: DefinitionKey,
): Promise<Shown<DefinitionRows[Kind]>> {
  return await changing(deps, key.tenantId, async (tx) => {
    const row = await requireDefinition(tx, kind, key);
    await withdrawPublication(tx, { ...key, kind });
    return await shown(tx, kind, row);
  });
}

async function save(
  tx: TenantTx,
  key: Pick<PublicationRow, 'tenantId' | 'kind' | 'id' | 'version'>,
  content: PublishedContent,
): Promise<void> {
  const [capability] = content.capabilities;
  const { name, description, ...rest } =
    content.agent ?? (key.kind === 'capability' ? capability! : content.tools[0]!);
  const keywords = 'keywords' in rest ? rest.keywords : [];
  await savePublication(tx, {
    ...key,
    publicationId: uuidv7(),
    name,
    description,
    summary: summaryOf(content),
    content,
    searchText: [name, description, ...keywords].join('\n'),
  });
}

/** Publications of all tenants, from one tenant's view; owners are hidden, except for its own. */
export async function listMarketplace(
  database: Database,
  tenantId: string,
  query: z.output<typeof MarketplaceQuery>,
): Promise<Page<MarketplaceItem>> {
  const rows = await withPlatform(database, 'list what tenants have published', (tx) =>
    listPublished(tx, query),
  );
  const { items, next } = shortPage(rows, query.limit, ({ publicationId }) => publicationId);
  return { items: items.map((row) => toItem(row, tenantId)), next };
}

const toItem = (row: ListedPublication, tenantId: string): MarketplaceItem => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  description: row.description,
  version: row.version,
  publishedAt: row.publishedAt.toISOString(),
  isOwn: row.tenantId === tenantId,
  ...row.summary,
});
