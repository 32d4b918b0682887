import type { UsedFigures } from '@botyard/contracts/http/dashboard';
import type { TenantTx } from '@botyard/shared/db/database';

const sums = `coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(output_tokens), 0)::float8 as "outputTokens",
  coalesce(sum(tool_calls), 0)::float8 as "toolCalls", coalesce(sum(cost_micro_usd), 0)::float8 as "costMicroUsd"`;

const texts = {
  day: `select day::timestamp at time zone 'UTC' as at, ${sums} from usage.counters
        where tenant_id = any ($1::uuid[]) and day >= ($2::timestamptz at time zone 'UTC')::date
          and day < ($3::timestamptz at time zone 'UTC')::date
        group by day order by day`,
  hour: `select date_trunc('hour', completed_at, 'UTC') as at, ${sums} from usage.log_entries
         where tenant_id = any ($1::uuid[]) and completed_at >= $2 and completed_at < $3 group by 1 order by 1`,
} as const;

/** What these tenants together used: days from the counters, hours from the log. */
export async function sumUsedBy(
  tx: TenantTx,
  {
    tenantIds,
    unit,
    from,
    to,
  }: { tenantIds: readonly string[]; unit: keyof typeof texts; from: string; to: string },
): Promise<(UsedFigures & { at: Date })[]> {
  return await tx.query<UsedFigures & { at: Date } & Record<string, unknown>>({
    name: `usage.activity.${unit}`,
    text: texts[unit],
    values: [tenantIds, from, to],
  });
}

/** Which of these tenants have a quota. */
export async function listWithQuota(tx: TenantTx, tenantIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ tenant_id: string }>({
    name: 'usage.quotas.among',
    text: 'select tenant_id from usage.quotas where tenant_id = any ($1::uuid[])',
    values: [tenantIds],
  });
  return rows.map((row) => row.tenant_id);
}
