import { count, number, orNull, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { firstIdAt } from '../../store/first-id.ts';

/** A bot and a span of time; `before` is the first moment after it. */
interface BotSpan {
  tenantId: string;
  botId: string;
  from: Date;
  before: Date;
}

const day = orNull(text('day::text'));
const messageCounts = columns({
  day,
  messagesIn: number(`count(*) filter (where direction = 'in')`),
  messagesOut: number(`count(*) filter (where direction = 'out')`),
  chats: count('distinct conversation_id'),
  people: count('distinct person'),
});
/** For a UTC day, or for the whole span when `day` is null. */
export type MessageCounts = RowOf<typeof messageCounts>;

const latency = columns({
  day,
  p50: number('round(percentile_cont(0.5) within group (order by ms))'),
  p95: number('round(percentile_cont(0.95) within group (order by ms))'),
});
export type LatencyRow = RowOf<typeof latency>;

const hourMs = 3_600_000;
/** Clocks differ, and a message may be stored as late as the bus keeps it, plus a day. */
const slackMs = { before: hourMs, after: 96 * hourMs };

/**
 * Identifiers begin with their creation time, so the key finds the rows of a span. The span here is wider than the
 * requested one: the row's own time decides.
 */
const madeAround = (id: string): string => `${id} >= $firstId::uuid and ${id} < $afterId::uuid`;
const isIn = (moment: string): string =>
  `${moment} >= $from::timestamptz and ${moment} < $before::timestamptz`;
const valuesOf = ({ tenantId, botId, from, before }: BotSpan) => ({
  tenantId,
  botId,
  from,
  before,
  firstId: firstIdAt(from.getTime() - slackMs.before),
  afterId: firstIdAt(before.getTime() + slackMs.after),
});

/** Counts for the whole span, and for each UTC day in it with messages. */
export const countMessages = preparedStatement({
  name: 'agents.messages.of-days',
  text: typedSql`select ${messageCounts}
  from (select (at at time zone 'UTC')::date as day, direction, conversation_id, person
    from (select m.direction, m.conversation_id, c.platform || '/' || (m.sender ->> 'platformUserId') as person,
        case m.direction when 'in' then m.received_at else m.created_at end as at
      from agents.conversations c
      join agents.messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id
      where c.tenant_id = $tenantId and c.bot_id = $botId and ${madeAround('m.message_id')}
        and not (m.direction = 'out' and (m.status = 'failed' or m.staff_id is not null))) as said
    where ${isIn('at')}) as dated
  group by grouping sets ((), (day))`,
  values: valuesOf,
});

/** The time in ms from the arrival of the last message that a reply answers to the reply's commit. */
export const measureLatency = preparedStatement({
  name: 'agents.turns.latency-of-days',
  text: typedSql`select ${latency}
  from (select (t.created_at at time zone 'UTC')::date as day,
      greatest(0, extract(epoch from t.created_at - m.received_at)::float8 * 1000) as ms
    from agents.conversations c
    join agents.turns t on t.tenant_id = c.tenant_id and t.conversation_id = c.conversation_id
    join agents.messages m on m.tenant_id = t.tenant_id and m.message_id = t.message_ids[cardinality(t.message_ids)]
    where c.tenant_id = $tenantId and c.bot_id = $botId and t.outcome <> 'command'
      and ${madeAround('t.turn_id')} and ${isIn('t.created_at')}) as answered
  group by grouping sets ((day), ())
  having count(*) > 0`,
  values: valuesOf,
});
