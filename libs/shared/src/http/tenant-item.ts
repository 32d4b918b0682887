import { type Database, type TenantTx, withTenant } from '../db/database.ts';
import { found } from '../db/rows.ts';
import { notFound } from './errors.ts';

/** The input of a handler whose path names one thing of a tenant. */
interface OfTenant<Key> {
  tenantId: string;
  params: Omit<Key, 'tenantId'>;
}

const keyIn = <Key>({ tenantId, params }: OfTenant<Key>) => ({ ...params, tenantId }) as Key;

/**
 * A handler that shows one thing of a tenant: `get` reads its row, and `show` converts it to its form in the API. A
 * missing one is a 404 that names `what`.
 */
export const tenantItem =
  <Key extends { tenantId: string }, Row, Item>(
    what: string,
    get: (tx: TenantTx, key: Key) => Promise<Row | undefined>,
    show: (row: Row) => Item,
  ) =>
  (input: OfTenant<Key>, { database }: { database: Database }): Promise<Item> =>
    withTenant(database, [input.tenantId], async (tx) => show(found(await get(tx, keyIn(input)), what)));

/** A handler that deletes one thing of a tenant: `remove` returns `false` for a missing one, which is a 404. */
export const tenantRemoval =
  <Key extends { tenantId: string }>(what: string, remove: (tx: TenantTx, key: Key) => Promise<boolean>) =>
  (input: OfTenant<Key>, { database }: { database: Database }): Promise<void> =>
    withTenant(database, [input.tenantId], async (tx) => {
      if (!(await remove(tx, keyIn(input)))) throw notFound(what);
    });
