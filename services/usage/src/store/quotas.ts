import type { AnyTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq } from '@botyard/shared/db/drizzle';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import type { CounterSums } from './counters.ts';
import { quotas, quotaUse, quotaWarnings } from './schema.ts';

export type QuotaRow = typeof quotas.$inferSelect;
type WarningRow = typeof quotaWarnings.$inferSelect;

const stored = rowsOf(quotas, 'tenantId');
export const updateQuota = stored.update;

/**
 * Locks the counts, reservations and quotas of these tenants until the transaction ends. Needed even for a tenant
 * without a quota: one that is created meanwhile has to see the current counts.
 */
export const lockTenants = (tx: AnyTx, tenantIds: readonly string[]): Promise<void> =>
  lockNamed(tx, ...tenantIds);

const quotasOfTenants = typedSql`
  select ${columns(quotas)} from usage.quotas where tenant_id = any ($1::uuid[])`;

export const listQuotas = preparedStatement({
  name: 'usage.quotas.list',
  text: quotasOfTenants,
  values: (tenantIds: readonly string[]) => [tenantIds],
});

export async function getQuota(tx: TenantTx, tenantId: string): Promise<QuotaRow | undefined> {
  return (await listQuotas(tx, [tenantId]))[0];
}

/** @throws HttpError 409 when the tenant already has one. */
export async function insertQuota(tx: TenantTx, quota: Omit<QuotaRow, 'resetAt'>): Promise<QuotaRow> {
  try {
    const [row] = await tx.db.insert(quotas).values(quota).returning();
    return row!;
  } catch (error) {
    if (!isUniqueViolation(error, 'quotas_pkey')) throw error;
    throw conflict('the tenant already has a quota', { cause: error });
  }
}

/** Also deletes its running sums and warnings. Returns whether there was one. */
export async function deleteQuotaOfTenant(tx: TenantTx, tenantId: string): Promise<boolean> {
  const wasThere = await stored.remove(tx, { tenantId });
  await tx.db.delete(quotaUse).where(eq(quotaUse.tenantId, tenantId));
  await tx.db.delete(quotaWarnings).where(eq(quotaWarnings.tenantId, tenantId));
  return wasThere;
}

interface PeriodKey {
  tenantId: string;
  periodStart: Date;
}

const keyOf = ({ tenantId, periodStart }: PeriodKey) => ({ tenantId, periodStart });
const { messages, inputTokens, outputTokens, toolCalls, costMicroUsd, unpricedTurns } = quotaUse;
const quotaUseRow = columns({
  messages,
  inputTokens,
  outputTokens,
  toolCalls,
  costMicroUsd,
  unpricedTurns,
});
const getText = typedSql`
  select ${quotaUseRow} from usage.quota_use where tenant_id = $tenantId and period_start = $periodStart`;
const addText = typedSql`
  update usage.quota_use set messages = messages + $messages, input_tokens = input_tokens + $inputTokens,
    output_tokens = output_tokens + $outputTokens, tool_calls = tool_calls + $toolCalls,
    cost_micro_usd = coalesce(cost_micro_usd + $costMicroUsd, cost_micro_usd, $costMicroUsd), unpriced_turns = unpriced_turns + $unpricedTurns
  where tenant_id = $tenantId and period_start = $periodStart returning ${quotaUseRow}`;
const sumsOf = (sums: CounterSums) => ({
  messages: sums.messages,
  inputTokens: sums.inputTokens,
  outputTokens: sums.outputTokens,
  toolCalls: sums.toolCalls,
  costMicroUsd: sums.costMicroUsd,
  unpricedTurns: sums.unpricedTurns,
});

export async function getQuotaUse(tx: TenantTx, key: PeriodKey): Promise<CounterSums | undefined> {
  return await tx.first({ name: 'usage.quota_use.get', text: getText, values: keyOf(key) });
}

/** Returns the period's new sums, or `undefined` when it has no row yet. */
export const addToQuotaUse = preparedStatement({
  name: 'usage.quota_use.add',
  text: addText,
  values: (key: PeriodKey, added: CounterSums) => ({ ...keyOf(key), ...sumsOf(added) }),
  result: ([row]) => row,
});

/** Begins a period's row with its counted sums. The caller has locked the tenant. */
export const insertQuotaUse = preparedStatement({
  name: 'usage.quota_use.begin',
  text: `insert into usage.quota_use (tenant_id, period_start, messages, input_tokens, output_tokens, tool_calls,
           cost_micro_usd, unpriced_turns)
         values ($tenantId, $periodStart, $messages, $inputTokens, $outputTokens, $toolCalls, $costMicroUsd, $unpricedTurns)`,
  values: (key: PeriodKey, sums: CounterSums) => ({ ...keyOf(key), ...sumsOf(sums) }),
});

/** Returns the warnings that weren't given before. */
export async function insertWarnings(tx: TenantTx, warnings: readonly WarningRow[]): Promise<WarningRow[]> {
  if (warnings.length === 0) return [];
  return await tx.db
    .insert(quotaWarnings)
    .values([...warnings])
    .onConflictDoNothing()
    .returning();
}

export async function listWarnings(
  tx: TenantTx,
  { tenantId, periodStart }: PeriodKey,
): Promise<WarningRow[]> {
  return await tx.db
    .select()
    .from(quotaWarnings)
    .where(and(eq(quotaWarnings.tenantId, tenantId), eq(quotaWarnings.periodStart, periodStart)))
    .orderBy(quotaWarnings.limitName, desc(quotaWarnings.level));
}
