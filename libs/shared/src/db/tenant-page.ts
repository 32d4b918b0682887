import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import { type Database, type TenantTx, withTenant } from './database.ts';

/**
 * A handler that shows a list of a tenant, page by page. `list` reads one row more than the page's limit, `show`
 * converts a row to its form in the API, and `idOf` returns the row's position in the list.
 */
export const tenantPage =
  <Query extends PageRequest, Row, Item>(
    list: (tx: TenantTx, tenantId: string, query: Query) => Promise<readonly Row[]>,
    show: (row: Row) => Item,
    idOf: (row: Row) => string,
  ) =>
  (
    { tenantId, query }: { tenantId: string; query: Query },
    { database }: { database: Database },
  ): Promise<Page<Item>> =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await list(tx, tenantId, query), query, show, idOf),
    );
