import { alias } from '@botyard/shared/db/drizzle';
import { moment, number, orNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { conversations } from '../../store/schema.ts';

const said = alias(conversations, 'said');
const traffic = columns({
  /** `null` stands for all bots on the platform. */
  botId: orNull(said.botId),
  platform: said.platform,
  chats: number('chats'),
  people: number('coalesce(people, 0)'),
  messagesIn: number('"messagesIn"'),
  messagesOut: number('"messagesOut"'),
  lastDeliveryAt: orNull(moment('last')),
});

/**
 * Messages on each platform, by bot and in total. The messages aren't counted: each conversation has the positions of
 * its last message and reply.
 */
export const countTrafficOf = preparedStatement({
  name: 'agents.traffic.count',
  text: typedSql`with said as (
           select bot_id, platform, count(*)::int as chats, sum(last_seq)::float8 as "messagesIn",
             sum(next_reply_seq - 1 - staff_replies)::float8 as "messagesOut"
           from agents.conversations
           where tenant_id = $1 and ($2::uuid[] is null or bot_id = any ($2))
             and tenant_id <> all (array(select tenant_id from agents.deleted_tenants))
           group by grouping sets ((bot_id, platform), (platform))),
         sayers as (
           select c.bot_id, c.platform, count(distinct p.person_id)::int as people, max(p.last_seen_at) as last
           from agents.conversations c join agents.people p using (tenant_id, conversation_id)
           where c.tenant_id = $1 and ($2::uuid[] is null or c.bot_id = any ($2))
           group by grouping sets ((c.bot_id, c.platform), (c.platform)))
         select ${traffic}
         from said left join sayers on sayers.platform = said.platform
           and sayers.bot_id is not distinct from said.bot_id`,
  values: (tenantId: string, botIds: readonly string[] | null) => [tenantId, botIds],
});
