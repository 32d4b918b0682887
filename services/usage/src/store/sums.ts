import type { TenantTx } from '@botyard/shared/db/database';
import type { CounterSums } from './counters.ts';

/** From `start` to before `end`. */
export interface Span {
  start: Date;
  end: Date;
}

/** What sums can be grouped by: the name in the result, and where it comes from. */
const groupColumns = {
  day: `to_char(day, 'YYYY-MM-DD') as "day"`,
  month: `to_char(day, 'YYYY-MM') as "month"`,
  bot: 'bot_id as "botId"',
  agent: 'agent_id as "agentId"',
  provider: 'provider',
  model: 'model',
  keySource: 'key_source as "keySource"',
} as const;
export type GroupColumn = keyof typeof groupColumns;

export interface GroupSums extends CounterSums {
  day?: string;
  month?: string;
  botId?: string;
  agentId?: string | null;
  provider?: string | null;
  model?: string | null;
  keySource?: 'agent' | 'bot' | 'tenant' | 'platform' | 'none';
}

const sums = `coalesce(sum(messages), 0)::float8 as "messages", coalesce(sum(input_tokens), 0)::float8 as "inputTokens",
  coalesce(sum(output_tokens), 0)::float8 as "outputTokens", coalesce(sum(tool_calls), 0)::float8 as "toolCalls",
  sum(cost_micro_usd)::float8 as "costMicroUsd", coalesce(sum(unpriced_turns), 0)::float8 as "unpricedTurns"`;

const kinds = 'bot_id, agent_id, provider, model, key_source';
const fromLog = (from: string, before: string) => `
  select (completed_at at time zone 'UTC')::date as day, ${kinds}, (outcome = 'answered')::int as messages, input_tokens,
    output_tokens, tool_calls, cost_micro_usd, (cost_micro_usd is null)::int as unpriced_turns
  from usage.log_entries where tenant_id = $1 and completed_at >= ${from} and completed_at < ${before}`;

/** Whole days come from the counters; what is left of a day at either end comes from the log. */
const used = `(
  select day, ${kinds}, messages, input_tokens, output_tokens, tool_calls, cost_micro_usd, unpriced_turns
  from usage.counters where tenant_id = $1 and day >= $2 and day < $3
  union all ${fromLog('$4', '$5')} union all ${fromLog('$6', '$7')}) as used`;

/** Sums what ended within the span. `costMicroUsd` is null when nothing of it has a price. */
export async function sumUse(tx: TenantTx, tenantId: string, span: Span): Promise<CounterSums> {
  const [row] = await tx.query<CounterSums & Record<string, unknown>>({
    name: 'usage.sum',
    text: `select ${sums} from ${used}`,
    values: valuesOf(tenantId, span),
  });
  return row!;
}

/** The same in groups, ordered by what they are grouped by; at most `limit` of them. */
export async function sumUseByGroup(
  tx: TenantTx,
  tenantId: string,
  wanted: { span: Span; groupBy: readonly GroupColumn[]; limit: number },
): Promise<GroupSums[]> {
  const { span, groupBy, limit } = wanted;
  const places = groupBy.map((_, index) => index + 1).join(', ');
  return await tx.query<GroupSums & Record<string, unknown>>({
    name: `usage.sum.${groupBy.join('.')}`,
    text: `select ${groupBy.map((name) => groupColumns[name]).join(', ')}, ${sums} from ${used}
           group by ${places} order by ${places} limit $8`,
    values: [...valuesOf(tenantId, span), limit],
  });
}

const dayMs = 86_400_000;

function valuesOf(tenantId: string, span: Span): unknown[] {
  const [start, end] = [span.start.getTime(), span.end.getTime()];
  const firstDay = Math.ceil(start / dayMs) * dayMs;
  const afterLastDay = Math.max(firstDay, Math.floor(end / dayMs) * dayMs);
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const moment = (ms: number) => new Date(ms).toISOString();
  return [
    tenantId,
    day(firstDay),
    day(afterLastDay),
    moment(start),
    moment(Math.min(firstDay, end)),
    moment(afterLastDay),
    moment(end),
  ];
}
