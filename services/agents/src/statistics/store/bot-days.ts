import type { TenantTx } from '@botyard/shared/db/database';
import { type SQL, sql } from '@botyard/shared/db/drizzle';

/** A bot and a span of time; `before` is its first moment that doesn't belong to it. */
export interface BotSpan {
  tenantId: string;
  botId: string;
  from: Date;
  before: Date;
}

/** Of a UTC day, or of the whole span when `day` is null. */
export interface MessageCounts {
  day: string | null;
  messagesIn: number;
  messagesOut: number;
  chats: number;
  people: number;
}

export interface LatencyRow {
  day: string | null;
  p50: number;
  p95: number;
}

const hourMs = 3_600_000;
/** Clocks differ, and a message may wait this long for its place in the table: as long as the bus keeps it, and a day. */
const slackMs = { before: hourMs, after: 96 * hourMs };

/**
 * Identifiers begin with the moment at which they were made, so the key finds the rows of a span. The span here is wider
 * than the one asked for: the row's own time decides.
 */
function madeAround(id: SQL, { from, before }: BotSpan): SQL {
  const first = firstIdAt(from.getTime() - slackMs.before);
  return sql`${id} >= ${first}::uuid and ${id} < ${firstIdAt(before.getTime() + slackMs.after)}::uuid`;
}

/** The least identifier that can have been made at this moment. */
export function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

const isIn = (moment: SQL, { from, before }: BotSpan): SQL =>
  sql`${moment} >= ${from.toISOString()}::timestamptz and ${moment} < ${before.toISOString()}::timestamptz`;

/** For the whole span, and for each of its UTC days on which something was said. */
export async function countMessages(tx: TenantTx, span: BotSpan): Promise<MessageCounts[]> {
  const { rows } = await tx.db.execute<MessageCounts & Record<string, unknown>>(sql`
    select day::text, count(*) filter (where direction = 'in')::int as "messagesIn",
      count(*) filter (where direction = 'out')::int as "messagesOut",
      count(distinct conversation_id)::int as chats, count(distinct person)::int as people
    from (select (at at time zone 'UTC')::date as day, direction, conversation_id, person
      from (select m.direction, m.conversation_id, c.platform || '/' || (m.sender ->> 'platformUserId') as person,
          case m.direction when 'in' then m.received_at else m.created_at end as at
        from agents.conversations c
        join agents.messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id
        where c.tenant_id = ${span.tenantId} and c.bot_id = ${span.botId} and ${madeAround(sql`m.message_id`, span)}
          and not (m.direction = 'out' and (m.status = 'failed' or m.staff_id is not null))) as said
      where ${isIn(sql`at`, span)}) as dated
    group by grouping sets ((), (day))`);
  return rows;
}

/** From the arrival of the last message that a reply answers to the reply's commit, in whole milliseconds. */
export async function measureLatency(tx: TenantTx, span: BotSpan): Promise<LatencyRow[]> {
  const { rows } = await tx.db.execute<LatencyRow & Record<string, unknown>>(sql`
    select day::text, round(percentile_cont(0.5) within group (order by ms))::int as p50,
      round(percentile_cont(0.95) within group (order by ms))::int as p95
    from (select (t.created_at at time zone 'UTC')::date as day,
        greatest(0, extract(epoch from t.created_at - m.received_at)::float8 * 1000) as ms
      from agents.conversations c
      join agents.turns t on t.tenant_id = c.tenant_id and t.conversation_id = c.conversation_id
      join agents.messages m on m.tenant_id = t.tenant_id and m.message_id = t.message_ids[cardinality(t.message_ids)]
      where c.tenant_id = ${span.tenantId} and c.bot_id = ${span.botId} and t.outcome <> 'command'
        and ${madeAround(sql`t.turn_id`, span)} and ${isIn(sql`t.created_at`, span)}) as answered
    group by grouping sets ((day), ())
    having count(*) > 0`);
  return rows;
}
