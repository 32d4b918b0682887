import { alias } from '@botyard/shared/db/drizzle';
import {
  count,
  like,
  moment,
  number,
  numbers,
  orNull,
  sum,
  text,
  texts,
} from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { agentDefinitions } from '../../store/definitions-schema.ts';
import { firstIdAt } from '../../store/first-id.ts';
import { bots } from '../../store/schema.ts';

/** Clocks of processes differ by less than this. */
const slackMs = 3_600_000;

const since = (from: Date) => [firstIdAt(from.getTime() - slackMs), from];

const inTurns = {
  answered: number(`count(*) filter (where t.outcome = 'answered')`),
  apologized: number(`count(*) filter (where t.outcome = 'apologized')`),
  inputTokens: sum('t.input_tokens'),
  outputTokens: sum('t.output_tokens'),
  toolCalls: sum('jsonb_array_length(t.tool_calls)'),
};
const agentUse = columns({
  agentId: text('wanted.id'),
  ...inTurns,
  botIds: texts(
    `coalesce(array_agg(distinct c.bot_id order by c.bot_id) filter (where c.bot_id is not null), '{}')`,
  ),
  /** Over all time. */
  lastUsedAt: orNull(
    moment(`(select last.created_at from agents.turns last
    where last.tenant_id = $1 and last.agent_id = wanted.id and last.outcome <> 'command'
    order by last.turn_id desc limit 1)`),
  ),
});

/** The activity of each of these agents since a moment. Turns that were only commands are left out. */
export const sumAgentUse = preparedStatement({
  name: 'agents.turns.by-agent',
  text: typedSql`select used.* from unnest($2::uuid[]) as wanted (id)
         cross join lateral (select ${agentUse}
           from agents.turns t
           left join agents.conversations c on c.tenant_id = t.tenant_id and c.conversation_id = t.conversation_id
           where t.tenant_id = $1 and t.agent_id = wanted.id and t.outcome <> 'command'
             and t.turn_id >= $3 and t.created_at >= $4) used`,
  values: (tenantId: string, agentIds: readonly string[], from: Date) => [
    tenantId,
    [...agentIds],
    ...since(from),
  ],
});

const served = alias(bots, 'served');
const servedBot = columns({ agentId: text('wanted.id'), botId: served.botId, name: served.name });

/**
 * Bots that each of these agents serves, because they list it or have an assignment to it: up to a limit for each,
 * newest first.
 */
export const listServedBots = preparedStatement({
  name: 'agents.bots.served',
  text: typedSql`select ${servedBot}
         from unnest($2::uuid[]) as wanted (id)
         cross join lateral (select b.bot_id, b.name from agents.bots b
           where b.tenant_id = $1 and b.deleted_at is null and (wanted.id = any (b.agent_ids)
             or exists (select from agents.bot_assignments a
               where a.tenant_id = $1 and a.bot_id = b.bot_id and a.agent_id = wanted.id))
           order by b.bot_id desc limit $3) served`,
  values: (tenantId: string, agentIds: readonly string[], maxOfEach: number) => [
    tenantId,
    [...agentIds],
    maxOfEach,
  ],
});

const turnSums = columns({
  day: orNull(text(`to_char(day, 'YYYY-MM-DD')`)),
  provider: orNull(like(agentDefinitions.provider, 'provider')),
  agents: count('distinct agent_id'),
  ...inTurns,
  /** Milliseconds at the 50th, 95th and 99th percentile of answered turns; `null` if there are none. */
  latencyMs: orNull(
    numbers(`percentile_cont(array[0.5, 0.95, 0.99]) within group (order by duration_ms)
      filter (where outcome = 'answered')`),
  ),
});
/** For a UTC day, for a provider, or for the whole span when both are null. */
export type TurnSums = RowOf<typeof turnSums>;

/** The activity of all agents since a moment: in total, by day, and by provider. */
export const sumTurns = preparedStatement({
  name: 'agents.turns.sums',
  text: typedSql`select ${turnSums}
         from (select t.*, (t.created_at at time zone 'UTC')::date as day from agents.turns t
           where t.tenant_id = $1 and t.turn_id >= $2 and t.created_at >= $3 and t.outcome <> 'command') as t
         group by grouping sets ((), (day), (provider))
         having grouping(provider) = 1 or provider is not null`,
  values: (tenantId: string, from: Date) => [tenantId, ...since(from)],
});
