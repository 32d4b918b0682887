import type { TenantTx } from '@botyard/shared/db/database';
import { number, orNull, sum, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { counters } from './schema.ts';

/** From `start` up to, but not including, `end`. */
interface Span {
  start: Date;
  end: Date;
}

/** Groupings of sums: the name in the result, and its source. */
const groups = {
  day: ['day', text(`to_char(day, 'YYYY-MM-DD')`)],
  month: ['month', text(`to_char(day, 'YYYY-MM')`)],
  bot: ['botId', counters.botId],
  agent: ['agentId', counters.agentId],
  provider: ['provider', counters.provider],
  model: ['model', counters.model],
  keySource: ['keySource', counters.keySource],
} as const;
type GroupColumn = keyof typeof groups;
type GroupParts = { [Column in GroupColumn as (typeof groups)[Column][0]]?: (typeof groups)[Column][1] };

const sums = {
  messages: sum('messages'),
  inputTokens: sum('input_tokens'),
  outputTokens: sum('output_tokens'),
  toolCalls: sum('tool_calls'),
  costMicroUsd: orNull(number('sum(cost_micro_usd)')),
  unpricedTurns: sum('unpriced_turns'),
};
const groupSums = (groupBy: readonly GroupColumn[]) => {
  const parts: GroupParts = Object.fromEntries(groupBy.map((name) => groups[name]));
  return columns({ ...parts, ...sums });
};
export type GroupSums = RowOf<ReturnType<typeof groupSums>>;

const kinds = 'bot_id, agent_id, provider, model, key_source';
const fromLog = (from: string, before: string) => `
  select (completed_at at time zone 'UTC')::date as day, ${kinds}, (outcome = 'answered')::int as messages, input_tokens,
    output_tokens, tool_calls, cost_micro_usd, (cost_micro_usd is null)::int as unpriced_turns
  from usage.log_entries where tenant_id = $tenantId and completed_at >= ${from} and completed_at < ${before}`;

/** Whole days come from the counters; partial days at either end come from the log. */
const used = `(
  select day, ${kinds}, messages, input_tokens, output_tokens, tool_calls, cost_micro_usd, unpriced_turns
  from usage.counters where tenant_id = $tenantId and day >= $firstDay and day < $afterLastDay
  union all ${fromLog('$start', '$endOfFirst')} union all ${fromLog('$startOfLast', '$end')}) as used`;

/** Sums turns that ended within the span. `costMicroUsd` is null when none of them has a price. */
export const sumUse = preparedStatement({
  name: 'usage.sum',
  text: typedSql`select ${columns(sums)} from ${used}`,
  values: valuesOf,
  result: ([row]) => row!,
});

/** The same in groups, in the order of the grouping, at most `limit` of them. */
export async function sumUseByGroup(
  tx: TenantTx,
  tenantId: string,
  wanted: { span: Span; groupBy: readonly GroupColumn[]; limit: number },
): Promise<GroupSums[]> {
  const { span, groupBy, limit } = wanted;
  const places = groupBy.map((_, index) => index + 1).join(', ');
  return await tx.query({
    name: `usage.sum.${groupBy.join('.')}`,
    text: typedSql`select ${groupSums(groupBy)} from ${used}
           group by ${places} order by ${places} limit $limit`,
    values: { ...valuesOf(tenantId, span), limit },
  });
}

const dayMs = 86_400_000;

function valuesOf(tenantId: string, span: Span) {
  const [start, end] = [span.start.getTime(), span.end.getTime()];
  const firstDay = Math.ceil(start / dayMs) * dayMs;
  const afterLastDay = Math.max(firstDay, Math.floor(end / dayMs) * dayMs);
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const moment = (ms: number) => new Date(ms).toISOString();
  return {
    tenantId,
    firstDay: day(firstDay),
    afterLastDay: day(afterLastDay),
    start: moment(start),
    endOfFirst: moment(Math.min(firstDay, end)),
    startOfLast: moment(afterLastDay),
    end: moment(end),
  };
}
