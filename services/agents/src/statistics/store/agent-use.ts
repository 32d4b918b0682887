import type { Provider } from '@botyard/contracts/http/keys';
import type { TenantTx } from '@botyard/shared/db/database';
import { firstIdAt } from './bot-days.ts';

/** Clocks of processes differ by less than this. */
const slackMs = 3_600_000;

const since = (from: Date) => [firstIdAt(from.getTime() - slackMs), from];

export interface AgentUseRow extends Record<string, unknown> {
  agentId: string;
  answered: number;
  apologized: number;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
  botIds: string[];
  /** Of all times. */
  lastUsedAt: Date | null;
}

/** What each of these agents did since a moment, in turns that were more than commands. */
export async function sumAgentUse(
  tx: TenantTx,
  tenantId: string,
  agentIds: readonly string[],
  from: Date,
): Promise<AgentUseRow[]> {
  return await tx.query<AgentUseRow>({
    name: 'agents.turns.by-agent',
    text: `select wanted.id as "agentId", used.*, (select t.created_at from agents.turns t
               where t.tenant_id = $1 and t.agent_id = wanted.id and t.outcome <> 'command'
               order by t.turn_id desc limit 1) as "lastUsedAt"
           from unnest($2::uuid[]) as wanted (id)
           cross join lateral (select count(*) filter (where t.outcome = 'answered')::int as answered,
               count(*) filter (where t.outcome = 'apologized')::int as apologized,
               coalesce(sum(t.input_tokens), 0)::float8 as "inputTokens",
               coalesce(sum(t.output_tokens), 0)::float8 as "outputTokens",
               coalesce(sum(jsonb_array_length(t.tool_calls)), 0)::float8 as "toolCalls",
               coalesce(array_agg(distinct c.bot_id order by c.bot_id) filter (where c.bot_id is not null), '{}') as "botIds"
             from agents.turns t
             left join agents.conversations c on c.tenant_id = t.tenant_id and c.conversation_id = t.conversation_id
             where t.tenant_id = $1 and t.agent_id = wanted.id and t.outcome <> 'command'
               and t.turn_id >= $3 and t.created_at >= $4) used`,
    values: [tenantId, [...agentIds], ...since(from)],
  });
}

export interface ServedBotRow extends Record<string, unknown> {
  agentId: string;
  botId: string;
  name: string;
}

/** Bots that each of these agents serves, as one of theirs or by an assignment: at most so many of each, the newest. */
export async function listServedBots(
  tx: TenantTx,
  tenantId: string,
  agentIds: readonly string[],
  maxOfEach: number,
): Promise<ServedBotRow[]> {
  return await tx.query<ServedBotRow>({
    name: 'agents.bots.served',
    text: `select wanted.id as "agentId", served.bot_id as "botId", served.name
           from unnest($2::uuid[]) as wanted (id)
           cross join lateral (select b.bot_id, b.name from agents.bots b
             where b.tenant_id = $1 and b.deleted_at is null and (wanted.id = any (b.agent_ids)
               or exists (select from agents.bot_assignments a
                 where a.tenant_id = $1 and a.bot_id = b.bot_id and a.agent_id = wanted.id))
             order by b.bot_id desc limit $3) served`,
    values: [tenantId, [...agentIds], maxOfEach],
  });
}

/** Of a UTC day, of a provider, or of the whole span when both are null. */
export interface TurnSums extends Record<string, unknown> {
  day: string | null;
  provider: Provider | null;
  agents: number;
  answered: number;
  apologized: number;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
  /** Milliseconds at 50, 95 and 99 percent of answered turns; `null` without any. */
  latencyMs: [number, number, number] | null;
}

/** What all agents did since a moment: in all, by day, and by provider. */
export async function sumTurns(tx: TenantTx, tenantId: string, from: Date): Promise<TurnSums[]> {
  return await tx.query<TurnSums>({
    name: 'agents.turns.sums',
    text: `select to_char(day, 'YYYY-MM-DD') as day, provider, count(distinct agent_id)::int as agents,
             count(*) filter (where outcome = 'answered')::int as answered,
             count(*) filter (where outcome = 'apologized')::int as apologized,
             coalesce(sum(input_tokens), 0)::float8 as "inputTokens",
             coalesce(sum(output_tokens), 0)::float8 as "outputTokens",
             coalesce(sum(jsonb_array_length(tool_calls)), 0)::float8 as "toolCalls",
             percentile_cont(array[0.5, 0.95, 0.99]) within group (order by duration_ms)
               filter (where outcome = 'answered') as "latencyMs"
           from (select t.*, (t.created_at at time zone 'UTC')::date as day from agents.turns t
             where t.tenant_id = $1 and t.turn_id >= $2 and t.created_at >= $3 and t.outcome <> 'command') as used
           group by grouping sets ((), (day), (provider))
           having grouping(provider) = 1 or provider is not null`,
    values: [tenantId, ...since(from)],
  });
}
