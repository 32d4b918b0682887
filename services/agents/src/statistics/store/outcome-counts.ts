import type { OutcomeAnalyticsQuery } from '@botyard/contracts/http/analytics';
import { maxOutcomeGroups } from '@botyard/contracts/http/analytics';
import { sessionOutcomeNames } from '@botyard/contracts/http/session-outcomes';
import { platformNames } from '@botyard/contracts/platform-names';
import type { TenantTx } from '@botyard/shared/db/database';
import { count, number, oneOf, orNull, sum, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';

/** The sessions and the span of time that are counted; `before` is the first moment after it. */
export interface SessionScope {
  tenantId: string;
  from: Date;
  before: Date;
  botId: string | null;
  agentId: string | null;
  version: number | null;
  platform: string | null;
  label: string | null;
}

const inScope = `s.tenant_id = $tenantId
    and s.began_at >= $from::timestamptz
    and s.began_at < $before::timestamptz
    and ($botId::uuid is null or s.bot_id = $botId::uuid)
    and ($agentId::uuid is null or s.agent_id = $agentId::uuid)
    and ($version::integer is null or s.agent_version = $version::integer)
    and ($platform::text is null or s.platform = $platform::text)
    and ($label::text is null or exists (
      select from agents.conversations c
      join agents.labels l on l.tenant_id = c.tenant_id and l.label_id = any (c.label_ids)
      where c.tenant_id = s.tenant_id
        and c.conversation_id = s.conversation_id
        and lower(l.name) = lower($label::text)
    ))`;

const countOfOutcome = (outcome: string) => count(`case when '${outcome}' = any (s.outcomes) then 1 end`);
const [resolved, handedOver, givenUp, stopped, repeated, failed, ratedUp, ratedDown] = sessionOutcomeNames;
const figures = {
  sessions: count(),
  undecided: number('count(*) filter (where not s.is_final)'),
  [resolved]: countOfOutcome(resolved),
  [handedOver]: countOfOutcome(handedOver),
  [givenUp]: countOfOutcome(givenUp),
  [stopped]: countOfOutcome(stopped),
  [repeated]: countOfOutcome(repeated),
  [failed]: countOfOutcome(failed),
  [ratedUp]: countOfOutcome(ratedUp),
  [ratedDown]: countOfOutcome(ratedDown),
  costMicroUsd: orNull(number('sum(s.cost_micro_usd)')),
  durationMs: sum('s.duration_ms'),
};
const total = columns(figures);
export type SessionCounts = RowOf<typeof total>;

/** Counts of all sessions in scope. */
export const countSessions = preparedStatement({
  name: 'agents.analytics.sessions',
  text: typedSql`select ${total} from agents.session_outcomes s where ${inScope}`,
  values: (scope: SessionScope) => ({ ...scope }),
  result: ([row]) => row!,
});

type GroupedBy = OutcomeAnalyticsQuery['by'];

/** The expressions that name a group; others are null. */
interface GroupKeys {
  agentId?: string;
  agentVersion?: string;
  botId?: string;
  platform?: string;
  week?: string;
}

const keysBy: Readonly<Record<GroupedBy, GroupKeys>> = {
  agent: { agentId: 's.agent_id' },
  version: { agentId: 's.agent_id', agentVersion: 's.agent_version' },
  bot: { botId: 's.bot_id' },
  channel: { platform: 's.platform' },
  week: { week: `date_trunc('week', s.began_at at time zone 'UTC')::date` },
};

function groupOf(keys: GroupKeys) {
  const { agentId, agentVersion, botId, platform, week } = keys;
  return columns({
    ...figures,
    agentId: orNull(text(agentId ?? 'null::text')),
    agentVersion: orNull(number(agentVersion ?? 'null::integer')),
    botId: orNull(text(botId ?? 'null::text')),
    platform: orNull(oneOf(platformNames, platform ?? 'null::text')),
    week: orNull(text(week ? `(${week})::text` : 'null::text')),
    name: orNull(text(nameOf(keys))),
  });
}

function nameOf({ agentId, botId }: GroupKeys): string {
  if (agentId)
    return `(select d.name from agents.agent_definitions d where d.tenant_id = $tenantId and d.id = ${agentId})`;
  if (botId)
    return `(select b.name from agents.bots b where b.tenant_id = $tenantId and b.bot_id = ${botId})`;
  return 'null::text';
}

export type SessionGroup = RowOf<ReturnType<typeof groupOf>>;

/** Counts of the sessions in scope for each agent, version, bot, channel or week. */
export async function countSessionsBy(
  tx: TenantTx,
  by: GroupedBy,
  scope: SessionScope,
): Promise<SessionGroup[]> {
  const keys = Object.values(keysBy[by]).join(', ');
  return await tx.query({
    name: `agents.analytics.sessions_by_${by}`,
    text: typedSql`
      select ${groupOf(keysBy[by])}
      from agents.session_outcomes s
      where ${inScope}
      group by ${keys}
      order by ${by === 'week' ? keys : `count(*) desc, ${keys}`}
      limit ${maxOutcomeGroups}`,
    values: { ...scope },
  });
}
