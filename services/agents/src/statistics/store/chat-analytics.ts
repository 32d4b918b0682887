import { maxListed, maxQuestionCharacters } from '@botyard/contracts/http/analytics';
import { count, number, orNull, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { firstIdAt } from '../../store/first-id.ts';
import { conversations } from '../../store/schema.ts';

/** The chats and the span of time that are counted; `before` is the first moment after it. */
export interface ChatScope {
  tenantId: string;
  from: Date;
  before: Date;
  botId: string | null;
  agentId: string | null;
  platform: string | null;
  label: string | null;
  /** The result of a call by which an agent asks for a person. */
  handoverResult: string;
}

/** Clocks differ, and a message may be stored as late as the bus keeps it, plus a day. */
const slackMs = { before: 3_600_000, after: 96 * 3_600_000 };
const valuesOf = ({ from, before, handoverResult: _, ...scope }: ChatScope) => ({
  ...scope,
  from,
  before,
  firstId: firstIdAt(from.getTime() - slackMs.before),
  afterId: firstIdAt(before.getTime() + slackMs.after),
});

const valuesWithHandovers = (scope: ChatScope) => ({
  ...valuesOf(scope),
  handoverResult: scope.handoverResult,
});

/** Identifiers begin with their creation time, so the key finds the rows. The row's own time decides. */
const madeAround = (id: string): string => `${id} >= $firstId::uuid and ${id} < $afterId::uuid`;
const isIn = (moment: string): string =>
  `${moment} >= $from::timestamptz and ${moment} < $before::timestamptz`;

/** Whether the conversation `c` is in scope. */
const inScope = `c.tenant_id = $tenantId
    and ($botId::uuid is null or c.bot_id = $botId::uuid)
    and ($platform::text is null or c.platform = $platform::text)
    and ($label::text is null or exists (select from agents.labels l where l.tenant_id = $tenantId
      and lower(l.name) = lower($label::text) and l.label_id = any (c.label_ids)))
    and ($agentId::uuid is null or exists (select from agents.turns a where a.tenant_id = $tenantId
      and a.conversation_id = c.conversation_id and a.agent_id = $agentId::uuid and ${madeAround('a.turn_id')}
      and ${isIn('a.created_at')}))`;

/** Messages of the span in scope: those of people that concern the bot, and all that were sent. */
const said = `select c.chat_id, c.conversation_id, c.created_at as begun_at, m.message_id, m.direction, m.text,
      m.status, m.staff_id, m.agent_id, case m.direction when 'in' then m.received_at else m.created_at end as at
    from agents.messages m
    join agents.conversations c on c.tenant_id = m.tenant_id and c.conversation_id = m.conversation_id
    where m.tenant_id = $tenantId and ${madeAround('m.message_id')} and ${inScope}
      and case m.direction when 'in' then m.is_addressed and m.automatic_reason is null else m.status <> 'failed' end
      and ${isIn("case m.direction when 'in' then m.received_at else m.created_at end")}`;

const talk = columns({
  /** `YYYY-MM-DD`, in UTC; `null` for the whole span. */
  day: orNull(text('day::text')),
  chats: number(`count(distinct conversation_id) filter (where direction = 'in')`),
  messagesIn: number(`count(*) filter (where direction = 'in')`),
  replies: number(`count(*) filter (where direction = 'out' and staff_id is null)`),
  staffReplies: number(`count(*) filter (where direction = 'out' and staff_id is not null)`),
});

/** Counts of the whole span, and of each day with messages. */
export const countTalk = preparedStatement({
  name: 'agents.analytics.talk',
  text: typedSql`select ${talk}
    from (select said.*, (at at time zone 'UTC')::date as day from (${said}) as said) as dated
    group by grouping sets ((), (day))`,
  values: valuesOf,
});

const hourCount = columns({
  weekday: number(`extract(isodow from at at time zone 'UTC')`),
  hour: number(`extract(hour from at at time zone 'UTC')`),
  messagesIn: count(),
});

/** Messages of people by weekday (1 is Monday) and hour in UTC. */
export const countHours = preparedStatement({
  name: 'agents.analytics.hours',
  text: typedSql`select ${hourCount} from (${said}) as said where direction = 'in' group by 1, 2 order by 1, 2`,
  values: valuesOf,
});

/** Calls by which agents asked for a person, with the turn `t` and the conversation `c`. */
const handovers = `from agents.turns t
    join agents.conversations c on c.tenant_id = t.tenant_id and c.conversation_id = t.conversation_id
    cross join lateral jsonb_array_elements(t.tool_calls) as call
    where t.tenant_id = $tenantId and ${madeAround('t.turn_id')} and ${isIn('t.created_at')} and ${inScope}
      and call ->> 'outcome' = 'ok' and call ->> 'result' = $handoverResult::text`;

const outcomes = columns({
  newChats: number(`count(*) filter (where has_come and ${isIn('begun_at')})`),
  resolvedWithoutPerson: number('count(*) filter (where has_come and is_resolved and not is_by_staff)'),
  takenOver: number('count(*) filter (where is_by_staff or is_asked)'),
});

/** The outcomes of the chats. */
export const countOutcomes = preparedStatement({
  name: 'agents.analytics.outcomes',
  text: typedSql`with asked as (select distinct t.conversation_id ${handovers}),
      resolved as (select o.conversation_id from agents.session_outcomes o
        where o.tenant_id = $tenantId and 'resolved' = any (o.outcomes) and ${isIn('o.began_at')}
          and ($agentId::uuid is null or o.agent_id = $agentId::uuid))
    select ${outcomes}
    from (select conversation_id, min(begun_at) as begun_at,
        conversation_id in (select conversation_id from resolved) as is_resolved,
        bool_or(direction = 'in') as has_come, bool_or(staff_id is not null) as is_by_staff,
        conversation_id in (select conversation_id from asked) as is_asked
      from (${said}) as said
      group by conversation_id) as chats`,
  values: valuesWithHandovers,
  result: ([row]) => row!,
});

const reasonCount = columns({
  /** The arguments of the call, as JSON. */
  arguments: text(`call ->> 'arguments'`),
  chats: count('distinct t.conversation_id'),
});

/** The most frequent reasons for which agents asked for a person. */
export const countReasons = preparedStatement({
  name: 'agents.analytics.reasons',
  text: typedSql`select ${reasonCount} ${handovers} group by 1 order by 2 desc, 1 limit ${maxListed}`,
  values: valuesWithHandovers,
});

const responses = columns({
  medianMs: orNull(number('percentile_cont(0.5) within group (order by ms)')),
  p90Ms: orNull(number('percentile_cont(0.9) within group (order by ms)')),
  responses: count('ms'),
});

/** The times from first messages, and from messages after a day of silence, to the next reply in the span. */
export const measureResponses = preparedStatement({
  name: 'agents.analytics.responses',
  text: typedSql`select ${responses}
    from (select direction, at, lag(at) over chat as previous_at,
        extract(epoch from min(at) filter (where direction = 'out' and (agent_id is not null or staff_id is not null))
          over (chat rows between current row and unbounded following) - at)::float8 * 1000 as ms
      from (${said}) as said
      window chat as (partition by conversation_id order by at, message_id)) as ordered
    where direction = 'in' and (previous_at is null or at - previous_at > interval '24 hours')`,
  values: valuesOf,
  result: ([row]) => row!,
});

const question = columns({
  text: text(`(array_agg(left(said.text, ${maxQuestionCharacters}) order by said.message_id desc))[1]`),
  times: count(),
  chatId: text('(array_agg(said.chat_id order by said.message_id desc))[1]'),
});

/** The texts that most often got no answer. */
export const listUnanswered = preparedStatement({
  name: 'agents.analytics.unanswered',
  text: typedSql`with failed as (select distinct unnest(t.message_ids) as message_id
      from agents.turns t
      where t.tenant_id = $tenantId and ${madeAround('t.turn_id')} and ${isIn('t.created_at')}
        and (t.outcome = 'apologized' or t.tool_calls @> jsonb_build_array(jsonb_build_object('result', $handoverResult::text))))
    select ${question}
    from (${said}) as said
    left join failed using (message_id)
    where direction = 'in' and said.text <> '' and (said.status = 'dead' or failed.message_id is not null)
    group by lower(left(btrim(said.text), ${maxQuestionCharacters}))
    order by 2 desc, max(said.message_id::text) desc
    limit ${maxListed}`,
  values: valuesWithHandovers,
});

const conversation = columns({ conversationId: conversations.conversationId });

/** The conversations in scope, in batches of at most `limit`, by their identifiers. */
export const listConversationsSaid = preparedStatement({
  name: 'agents.analytics.conversations',
  text: typedSql`select distinct ${conversation} from (${said}) as said
    where conversation_id > $after::uuid order by 1 limit $limit`,
  values: (scope: ChatScope, { after, limit }: { after: string; limit: number }) => ({
    ...valuesOf(scope),
    after,
    limit,
  }),
  result: (rows) => rows.map(({ conversationId }) => conversationId),
});
