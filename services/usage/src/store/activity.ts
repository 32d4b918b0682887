import type { UsedFigures } from '@botyard/contracts/http/dashboard';
import type { TenantTx } from '@botyard/shared/db/database';
import { moment, sum } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { quotas } from './schema.ts';

const usedAt = (at: string) =>
  columns({
    at: moment(at),
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
    toolCalls: sum('tool_calls'),
    costMicroUsd: sum('cost_micro_usd'),
  });

const texts = {
  day: typedSql`select ${usedAt(`day::timestamp at time zone 'UTC'`)} from usage.counters
        where tenant_id = any ($1::uuid[]) and day >= ($2::timestamptz at time zone 'UTC')::date
          and day < ($3::timestamptz at time zone 'UTC')::date
        group by day order by day`,
  hour: typedSql`select ${usedAt(`date_trunc('hour', completed_at, 'UTC')`)} from usage.log_entries
         where tenant_id = any ($1::uuid[]) and completed_at >= $2 and completed_at < $3 group by 1 order by 1`,
} as const;

/** The use of these tenants together: days come from the counters, hours from the log. */
export async function sumUsedBy(
  tx: TenantTx,
  {
    tenantIds,
    unit,
    from,
    to,
  }: { tenantIds: readonly string[]; unit: keyof typeof texts; from: string; to: string },
): Promise<(UsedFigures & { at: Date })[]> {
  return await tx.query({
    name: `usage.activity.${unit}`,
    text: texts[unit],
    values: [tenantIds, from, to],
  });
}

/** Those of these tenants that have a quota. */
export const listWithQuota = preparedStatement({
  name: 'usage.quotas.among',
  text: typedSql`select ${columns({ tenantId: quotas.tenantId })} from usage.quotas where tenant_id = any ($1::uuid[])`,
  values: (tenantIds: readonly string[]) => [tenantIds],
  result: (rows) => rows.map((row) => row.tenantId),
});
