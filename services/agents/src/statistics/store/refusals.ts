import type { TenantTx } from '@botyard/shared/db/database';
import { count, notNull, text } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { messages } from '../../store/schema.ts';

const refusalCount = columns({
  /** `YYYY-MM-DD`, in UTC. */
  day: text(`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`),
  refusal: notNull(messages.refusal),
  count: count(),
});
type RefusalCount = RowOf<typeof refusalCount>;

/** Identifiers grow with time, so earlier ones needn't be read. The two clocks differ by less than an hour. */
const firstIdSince = `(lpad(to_hex(floor(extract(epoch from $2::timestamptz - interval '1 hour') * 1000)::bigint), 12, '0')
  || repeat('0', 20))::uuid`;

/** Refused messages since a moment, by day and reason. */
export async function countRefusalsSince(
  tx: TenantTx,
  tenantId: string,
  since: Date,
): Promise<RefusalCount[]> {
  return await tx.query({
    name: 'agents.messages.refusals',
    text: typedSql`select ${refusalCount}
           from agents.messages
           where tenant_id = $1 and message_id >= ${firstIdSince} and refusal is not null and created_at >= $2
           group by 1, 2`,
    values: [tenantId, since],
  });
}
