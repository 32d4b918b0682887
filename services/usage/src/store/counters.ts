import type { TenantTx } from '@botyard/shared/db/database';
import { eq } from '@botyard/shared/db/drizzle';
import { sum } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { counters } from './schema.ts';

type CounterRow = typeof counters.$inferSelect;
type NewUse = Omit<CounterRow, 'costMicroUsd' | 'updatedAt'> & { costMicroUsd?: number | null };
export type CounterSums = Pick<
  CounterRow,
  'messages' | 'inputTokens' | 'outputTokens' | 'toolCalls' | 'costMicroUsd' | 'unpricedTurns'
>;

/**
 * Adds all uses in one statement. Each counter is written once, and counters always in the same order, so that
 * instances that count concurrently can't deadlock.
 */
export async function addToCounters(tx: TenantTx, uses: readonly NewUse[]): Promise<void> {
  if (uses.length === 0) return;
  await tx.query({
    name: 'usage.counters.add',
    text: `insert into usage.counters as kept
             (tenant_id, day, bot_id, agent_id, provider, model, key_source,
              messages, input_tokens, output_tokens, tool_calls, cost_micro_usd, unpriced_turns)
           select "tenantId", day, "botId", "agentId", provider, model, "keySource",
             sum(messages), sum("inputTokens"), sum("outputTokens"), sum("toolCalls"), sum("costMicroUsd"),
             sum("unpricedTurns")
           from json_to_recordset($1) as used ("tenantId" uuid, day date, "botId" uuid, "agentId" uuid,
             provider text, model text, "keySource" text, messages bigint, "inputTokens" bigint,
             "outputTokens" bigint, "toolCalls" bigint, "costMicroUsd" bigint, "unpricedTurns" bigint)
           group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
           on conflict on constraint counters_one_per_use do update set
             messages = kept.messages + excluded.messages,
             input_tokens = kept.input_tokens + excluded.input_tokens,
             output_tokens = kept.output_tokens + excluded.output_tokens,
             tool_calls = kept.tool_calls + excluded.tool_calls,
             cost_micro_usd = coalesce(kept.cost_micro_usd + excluded.cost_micro_usd, kept.cost_micro_usd,
               excluded.cost_micro_usd),
             unpriced_turns = kept.unpriced_turns + excluded.unpriced_turns,
             updated_at = now()`,
    values: [JSON.stringify(uses)],
  });
}

const tokensOfDay = columns({
  day: counters.day,
  inputTokens: sum('input_tokens'),
  outputTokens: sum('output_tokens'),
});

/** A bot's tokens on each day with any use, from `from` to `to`, both included. */
export const listTokensOfDays = preparedStatement({
  name: 'usage.counters.days',
  text: typedSql`select ${tokensOfDay}
         from usage.counters where tenant_id = $1 and bot_id = $2 and day between $3 and $4 group by day order by day`,
  values: ({ tenantId, botId, from, to }: { tenantId: string; botId: string; from: string; to: string }) => [
    tenantId,
    botId,
    from,
    to,
  ],
});

export async function deleteCountersOfTenant(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db.delete(counters).where(eq(counters.tenantId, tenantId));
}
