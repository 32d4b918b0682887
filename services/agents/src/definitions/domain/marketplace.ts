import type { MarketplaceItem, MarketplaceQuery } from '@botyard/contracts/http/definitions-marketplace';
import type { Page } from '@botyard/contracts/http/page';
import { type Database, withPlatform } from '@botyard/shared/db/database';
import type { z } from 'zod';
import { type ListedPublication, listPublished } from '../store/publications.ts';
import { shortPage } from './short-page.ts';

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
