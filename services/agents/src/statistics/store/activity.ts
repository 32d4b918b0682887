import { count, moment, notNull, number, orNull, sum, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { firstIdAt } from '../../store/first-id.ts';
import { conversations, messages } from '../../store/schema.ts';

const held = columns({
  tenantId: conversations.tenantId,
  conversationsWaiting: number('coalesce(conversations, 0)'),
  messagesWaiting: number('coalesce(messages, 0)'),
  oldestWaitingAt: orNull(moment('oldest')),
  deadLetters: number('coalesce(letters, 0)'),
});

/** Pending and dead messages by tenant. Both come from partial indexes, independent of the number of messages. */
export const countHeld = preparedStatement({
  name: 'agents.work.held',
  text: typedSql`with waiting as (
           select c.tenant_id, count(*)::int as conversations, sum(held.messages)::int as messages, min(held.oldest) as oldest
           from agents.conversations c cross join lateral (
             select count(*) as messages, min(received_at) as oldest from agents.messages m
             where m.conversation_id = c.conversation_id and m.tenant_id = c.tenant_id and m.direction = 'in'
               and m.seq >= c.next_seq and m.status = 'queued') held
           where c.tenant_id = any ($1::uuid[]) and c.ready_at is not null and held.messages > 0 group by 1),
         dead as (
           select tenant_id, count(*)::int as letters from agents.messages
           where tenant_id = any ($1::uuid[]) and status = 'dead' group by 1)
         select ${held}
         from waiting full join dead using (tenant_id)`,
  values: (tenantIds: readonly string[]) => [tenantIds],
});

interface SpanOfTenants {
  tenantIds: readonly string[];
  unit: 'hour' | 'day';
  from: Date;
  to: Date;
}

/** Clocks differ, and a message may wait as long as the bus stores it, so the row's own time decides. */
const slackMs = { before: 3_600_000, after: 96 * 3_600_000 };

const saidFigures = columns({
  at: moment(`date_trunc($unit, at, 'UTC')`),
  messagesIn: sum('came'),
  messagesOut: sum('went'),
  answers: sum('answered'),
  failures: sum('failed'),
});

/**
 * By hour or day in UTC, earliest first. Identifiers are ordered by time, so the tables' primary keys find the span.
 */
export const sumSaidBy = preparedStatement({
  name: 'agents.activity.sum',
  text: typedSql`select ${saidFigures}
         from (
           select case direction when 'in' then received_at else created_at end as at, (direction = 'in')::int as came,
             (direction = 'out' and status <> 'failed' and staff_id is null)::int as went, 0 as answered, (status = 'dead')::int as failed
           from agents.messages where tenant_id = any ($tenantIds::uuid[]) and message_id >= $firstId and message_id < $afterId
           union all
           select created_at, 0, 0, (outcome = 'answered')::int, (outcome = 'apologized')::int
           from agents.turns where tenant_id = any ($tenantIds::uuid[]) and turn_id >= $firstId and turn_id < $afterId) as said
         where at >= $from and at < $to group by 1 order by 1`,
  values: ({ tenantIds, unit, from, to }: SpanOfTenants) => ({
    tenantIds,
    unit,
    from,
    to,
    firstId: firstIdAt(from.getTime() - slackMs.before),
    afterId: firstIdAt(to.getTime() + slackMs.after),
  }),
});

const refusalCount = columns({
  /** `YYYY-MM-DD`, in UTC. */
  day: text(`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`),
  refusal: notNull(messages.refusal),
  count: count(),
});

/** Identifiers grow with time, so earlier ones needn't be read. The two clocks differ by less than an hour. */
const firstIdSince = `(lpad(to_hex(floor(extract(epoch from $2::timestamptz - interval '1 hour') * 1000)::bigint), 12, '0')
  || repeat('0', 20))::uuid`;

/** Refused messages since a moment, by day and reason. */
export const countRefusalsSince = preparedStatement({
  name: 'agents.messages.refusals',
  text: typedSql`select ${refusalCount}
         from agents.messages
         where tenant_id = $1 and message_id >= ${firstIdSince} and refusal is not null and created_at >= $2
         group by 1, 2`,
  values: (tenantId: string, since: Date) => [tenantId, since],
});
