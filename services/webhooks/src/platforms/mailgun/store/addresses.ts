import type { TenantTx } from '@botyard/shared/db/database';
import { text } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

/** Columns with addresses, each with the column that orders its rows. */
const placesOfAddresses = [
  { table: 'mail_threads', key: 'thread_id', type: 'uuid', address: 'correspondent' },
  { table: 'sender_grants', key: 'grant_id', type: 'uuid', address: 'value' },
  { table: 'sender_grants', key: 'grant_id', type: 'uuid', address: 'granted_by' },
  { table: 'sender_tokens', key: 'token_hash', type: 'text', address: 'address' },
  { table: 'bounced_addresses', key: 'address', type: 'text', address: 'address' },
] as const;
const pageRows = 5000;

/** All addresses in a tenant's mail, page by page, including repetitions. */
export async function* pagesOfAddresses(
  inTenant: <Result>(work: (tx: TenantTx) => Promise<Result>) => Promise<Result>,
  tenantId: string,
): AsyncGenerator<string[]> {
  for (const { table, key, type, address } of placesOfAddresses) {
    let after: string | null = type === 'uuid' ? '00000000-0000-0000-0000-000000000000' : '';
    while (after !== null) {
      const values: unknown[] = [tenantId, after];
      const rows = await inTenant((tx) =>
        tx.query({
          name: `webhooks.erasure.addresses.${table}.${address}`,
          text: typedSql`select ${columns({ key: text(key), address: text(address) })} from webhooks.${table}
                 where tenant_id = $1 and ${key} > $2::${type} order by ${key} limit ${pageRows}`,
          values,
        }),
      );
      yield rows.map((row) => row.address);
      after = rows.length < pageRows ? null : rows.at(-1)!.key;
    }
  }
}
