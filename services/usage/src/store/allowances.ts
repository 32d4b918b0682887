import type { TenantTx } from '@botyard/shared/db/database';
import { eq, sql } from '@botyard/shared/db/drizzle';
import { number, sum } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { Use } from './log-entries.ts';
import { allowances, type allowanceUse } from './schema.ts';

export type AllowanceRow = typeof allowances.$inferSelect;
/** The public providers share one allowance; the private LLM has its own. */
export type AllowanceKind = (typeof allowanceUse.$inferSelect)['kind'];

export const allowanceKindOf = (provider: string): AllowanceKind =>
  provider === 'private-llm' ? 'private' : 'public';

export async function getAllowance(tx: TenantTx, tenantId: string): Promise<AllowanceRow | undefined> {
  const [row] = await tx.db.select().from(allowances).where(eq(allowances.tenantId, tenantId));
  return row;
}

/** Sets the given fields. */
export async function saveAllowance(
  tx: TenantTx,
  tenantId: string,
  change: Partial<Pick<AllowanceRow, 'publicTokens' | 'privateTokens'>>,
): Promise<AllowanceRow> {
  const [row] = await tx.db
    .insert(allowances)
    .values({ tenantId, ...change })
    .onConflictDoUpdate({ target: allowances.tenantId, set: { ...change, updatedAt: sql`now()` } })
    .returning();
  return row!;
}

export async function deleteAllowanceOfTenant(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db.delete(allowances).where(eq(allowances.tenantId, tenantId));
}

/** The counters' sum for a month, to begin a row of the running sums. */
const counted = (tenantId: string, monthStart: string, kind: string) => `
  coalesce((select sum(counters.input_tokens + counters.output_tokens) from usage.counters
            where counters.tenant_id = ${tenantId} and counters.day >= ${monthStart}
              and counters.day < ${monthStart} + interval '1 month' and counters.key_source = 'platform'
              and (counters.provider = 'private-llm') = (${kind} = 'private')), 0)`;

interface AllowanceMonth {
  tenantId: string;
  kind: AllowanceKind;
  /** The beginning of the month, in UTC. */
  start: Date;
}

const usedText = typedSql`select ${columns({
  tokens: number(`coalesce(
    (select tokens from usage.allowance_use where tenant_id = $1 and month_start = $2::date and kind = $3),
    ${counted('$1::uuid', '$2::date', '$3')})`),
})}`;
const reservedText = typedSql`
  select ${columns({ tokens: sum('input_tokens + output_tokens') })} from usage.reservations
  where tenant_id = $1 and allowance = $2 and settled_at is null and expires_at > now()`;

/** Use of the platform's keys in a month. */
export const sumAllowanceUse = preparedStatement({
  name: 'usage.allowance_use.sum',
  text: usedText,
  values: ({ tenantId, kind, start }: AllowanceMonth) => [tenantId, dayOf(start), kind],
  result: ([row]) => row!.tokens,
});

/** The reservations of current calls from an allowance. */
export const sumAllowanceReserved = preparedStatement({
  name: 'usage.reservations.allowance',
  text: reservedText,
  values: ({ tenantId, kind }: Pick<AllowanceMonth, 'tenantId' | 'kind'>) => [tenantId, kind],
  result: ([row]) => row!.tokens,
});

/**
 * Adds use of the platform's keys. The tenants have to be locked, and the uses not yet counted: the row of a new month
 * starts with the counted sum.
 */
export const addToAllowanceUse = preparedStatement({
  name: 'usage.allowance_use.add',
  text: `with added as (
           select "tenantId" as tenant_id, date_trunc('month', day)::date as month_start,
             case provider when 'private-llm' then 'private' else 'public' end as kind,
             sum("inputTokens" + "outputTokens") as tokens
           from json_to_recordset($1) as used ("tenantId" uuid, day timestamp, provider text, "inputTokens" bigint,
             "outputTokens" bigint)
           group by 1, 2, 3),
         kept as (
           update usage.allowance_use as use set tokens = use.tokens + added.tokens from added
           where use.tenant_id = added.tenant_id and use.month_start = added.month_start and use.kind = added.kind
           returning use.tenant_id, use.month_start, use.kind)
         insert into usage.allowance_use (tenant_id, month_start, kind, tokens)
         select tenant_id, month_start, kind, tokens + ${counted('added.tenant_id', 'added.month_start', 'added.kind')}
         from added where not exists (
           select from kept where kept.tenant_id = added.tenant_id and kept.month_start = added.month_start
             and kept.kind = added.kind)`,
  values: (uses: readonly Use[]) => [JSON.stringify(uses)],
});

const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
