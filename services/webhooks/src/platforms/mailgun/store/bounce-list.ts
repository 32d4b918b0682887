import type { PageRequest } from '@botyard/contracts/http/page';
import { text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { bouncedAddresses } from '../../../store/mail-schema.ts';

const bounce = columns({
  ...pick(bouncedAddresses, 'address', 'reason', 'bouncedAt'),
  hash: text('md5(address)'),
});

const listText = typedSql`select ${bounce} from webhooks.bounced_addresses
  where tenant_id = $1 and ($2::text is null or address = $2)
    and ($3::timestamptz is null or (bounced_at, md5(address)) < ($3, $4))
  order by bounced_at desc, md5(address) desc limit $5`;

/** Newest first. `before` is the `place` of one: its time and a hash of its address, in this order. */
export const listBounces = preparedStatement({
  name: 'webhooks.bounced_addresses.list',
  text: listText,
  values: ({ tenantId, address }: { tenantId: string; address?: string | undefined }, page: PageRequest) => {
    const [bouncedAt = null, hash = null] = page.before?.split(' ') ?? [];
    return [tenantId, address ?? null, bouncedAt, hash, page.limit + 1];
  },
  result: (rows) =>
    rows.map(({ hash: end, ...row }) => ({ ...row, place: `${row.bouncedAt.toISOString()} ${end}` })),
});

export const deleteBounce = rowsOf(bouncedAddresses, 'tenantId', 'address').remove;
