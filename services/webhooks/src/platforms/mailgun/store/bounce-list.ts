import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { text } from '@botyard/shared/db/expressions';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { bouncedAddresses } from '../../../store/mail-schema.ts';

const bounce = columns({
  ...pick(bouncedAddresses, 'address', 'reason', 'bouncedAt'),
  hash: text('md5(address)'),
});
type ListedBounce = Omit<RowOf<typeof bounce>, 'hash'> & {
  /** The position in the list: the time and a hash of the address, in this order. */
  place: string;
};

const listText = typedSql`select ${bounce} from webhooks.bounced_addresses
  where tenant_id = $1 and ($2::text is null or address = $2)
    and ($3::timestamptz is null or (bounced_at, md5(address)) < ($3, $4))
  order by bounced_at desc, md5(address) desc limit $5`;

/** Newest first. `before` is a position. */
export async function listBounces(
  tx: TenantTx,
  { tenantId, address }: { tenantId: string; address?: string | undefined },
  page: PageRequest,
): Promise<ListedBounce[]> {
  const [bouncedAt = null, hash = null] = page.before?.split(' ') ?? [];
  const rows = await tx.query({
    name: 'webhooks.bounced_addresses.list',
    text: listText,
    values: [tenantId, address ?? null, bouncedAt, hash, page.limit + 1],
  });
  return rows.map(({ hash: end, ...row }) => ({ ...row, place: `${row.bouncedAt.toISOString()} ${end}` }));
}

export const deleteBounce = rowsOf(bouncedAddresses, 'tenantId', 'address').remove;
