import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, gte, inArray, lt, type SQL, sql } from '@botyard/shared/db/drizzle';
import { number, orNull, sum } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { logEntries } from './schema.ts';

export type LogEntryRow = typeof logEntries.$inferSelect;

/** The use of one turn: an entry of the log, and its addition to the counters. */
export type Use = Omit<LogEntryRow, 'completedAt'> & {
  /** ISO 8601, to the millisecond. */
  completedAt: string;
  /** `YYYY-MM-DD`, the UTC day on which the turn ended. */
  day: string;
  messages: number;
  unpricedTurns: number;
};

/** Writes entries that don't exist yet. Returns the new turns: only these must be counted. */
export async function insertLogEntries(tx: TenantTx, uses: readonly Use[]): Promise<Set<string>> {
  if (uses.length === 0) return new Set();
  const rows = await tx.query({
    name: 'usage.log_entries.insert',
    text: typedSql`insert into usage.log_entries (tenant_id, turn_id, conversation_id, bot_id, agent_id,
             agent_version, provider, model, key_source, key_id, outcome, input_tokens, output_tokens, tool_calls,
             cost_micro_usd, is_estimated, duration_ms, completed_at)
           select "tenantId", "turnId", "conversationId", "botId", "agentId", "agentVersion", provider, model, "keySource",
             "keyId", outcome, "inputTokens", "outputTokens", "toolCalls", "costMicroUsd", "isEstimated", "durationMs",
             "completedAt"
           from json_to_recordset($1) as used ("tenantId" uuid, "turnId" uuid, "conversationId" uuid, "botId" uuid,
             "agentId" uuid, "agentVersion" integer, provider text, model text, "keySource" text, "keyId" uuid,
             outcome text, "inputTokens" bigint, "outputTokens" bigint, "toolCalls" bigint, "costMicroUsd" bigint,
             "isEstimated" boolean, "durationMs" bigint, "completedAt" timestamptz)
           order by 1, 2
           on conflict (tenant_id, turn_id) do nothing
           returning ${columns({ turnId: logEntries.turnId })}`,
    values: [JSON.stringify(uses)],
  });
  return new Set(rows.map((row) => row.turnId));
}

export interface LogFilter {
  from?: Date | undefined;
  to?: Date | undefined;
  botId?: string | undefined;
  agentId?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  keySource?: LogEntryRow['keySource'] | 'own' | undefined;
  outcome?: LogEntryRow['outcome'] | undefined;
}

const ownKeys: LogEntryRow['keySource'][] = ['agent', 'bot', 'tenant'];

/** Entries of the latest turns first, one more than the page's limit. */
export async function listLogEntries(
  tx: TenantTx,
  tenantId: string,
  filter: LogFilter & PageRequest,
): Promise<LogEntryRow[]> {
  const byTime = sql`${logEntries.completedAt} desc, ${logEntries.turnId} desc`;
  return await tx.db
    .select()
    .from(logEntries)
    .where(and(eq(logEntries.tenantId, tenantId), ...conditionsOf(filter), before(tenantId, filter.before)))
    .orderBy(byTime)
    .limit(filter.limit + 1);
}

/** The costs of these turns, as far as they are logged. */
export async function listCosts(
  tx: TenantTx,
  tenantId: string,
  turnIds: readonly string[],
): Promise<Pick<LogEntryRow, 'turnId' | 'costMicroUsd'>[]> {
  const { turnId, costMicroUsd } = logEntries;
  return await tx.db
    .select({ turnId, costMicroUsd })
    .from(logEntries)
    .where(and(eq(logEntries.tenantId, tenantId), inArray(turnId, [...turnIds])));
}

/** The cost of each run of tests of which something is logged; `null` if a part of it has no price. */
export async function sumCostOfRuns(
  tx: TenantTx,
  tenantId: string,
  runIds: readonly string[],
): Promise<{ runId: string; costMicroUsd: number | null }[]> {
  const { conversationId: runId } = logEntries;
  const costMicroUsd = orNull(
    number('case when bool_and(cost_micro_usd is not null) then sum(cost_micro_usd) end'),
  );
  return await tx.query({
    name: 'usage.log_entries.cost_of_runs',
    text: typedSql`select ${columns({ runId, costMicroUsd })}
      from usage.log_entries
      where tenant_id = $tenantId and outcome = 'evaluation' and conversation_id = any ($runIds::uuid[])
      group by conversation_id`,
    values: { tenantId, runIds },
  });
}

interface PricedChats {
  from: string;
  to: string;
  botId?: string | undefined;
  agentId?: string | undefined;
  conversationIds?: string[] | undefined;
}

/** The cost of the chats' turns that ended in the span, as far as their models have a price. */
export const sumCostOfChats = preparedStatement({
  name: 'usage.log_entries.cost_of_chats',
  text: typedSql`select ${columns({ cost: sum('cost_micro_usd') })}
    from usage.log_entries
    where tenant_id = $tenantId and completed_at >= $from and completed_at < $to
      and outcome not in ('trial', 'evaluation', 'shadow')
      and ($botId::uuid is null or bot_id = $botId::uuid)
      and ($agentId::uuid is null or agent_id = $agentId::uuid)
      and ($conversationIds::uuid[] is null or conversation_id = any ($conversationIds::uuid[]))`,
  values: (tenantId: string, { from, to, botId, agentId, conversationIds }: PricedChats) => ({
    tenantId,
    from,
    to,
    botId: botId ?? null,
    agentId: agentId ?? null,
    conversationIds: conversationIds ?? null,
  }),
  result: ([row]) => row?.cost ?? 0,
});

function conditionsOf({ from, to, keySource, ...filter }: LogFilter): (SQL | undefined)[] {
  const equal = (['botId', 'agentId', 'provider', 'model', 'outcome'] as const).map((name) => {
    const wanted = filter[name];
    return wanted === undefined ? undefined : eq(logEntries[name], wanted);
  });
  return [
    ...equal,
    from && gte(logEntries.completedAt, from),
    to && lt(logEntries.completedAt, to),
    keySource === 'own'
      ? inArray(logEntries.keySource, ownKeys)
      : keySource && eq(logEntries.keySource, keySource),
  ];
}

/** The entries after this turn's entry in the list's order; none when the turn isn't the tenant's. */
const before = (tenantId: string, turnId: string | undefined): SQL | undefined =>
  turnId === undefined
    ? undefined
    : sql`(${logEntries.completedAt}, ${logEntries.turnId}) < (select l.completed_at, l.turn_id from usage.log_entries l
        where l.tenant_id = ${tenantId} and l.turn_id = ${turnId})`;
