import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';

export interface TrafficRow {
  /** `null`: of all bots on the platform. */
  botId: string | null;
  platform: Account['platform'];
  chats: number;
  people: number;
  messagesIn: number;
  messagesOut: number;
  lastDeliveryAt: Date | null;
}

/**
 * What was said on each platform, by bot and in all. Messages aren't counted one by one: a conversation knows the
 * position of its last message and reply.
 */
export async function countTrafficOf(
  tx: TenantTx,
  tenantId: string,
  botIds: readonly string[] | null,
): Promise<TrafficRow[]> {
  return await tx.query<TrafficRow & Record<string, unknown>>({
    name: 'agents.traffic.count',
    text: `with said as (
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
           select said.bot_id as "botId", said.platform, chats, "messagesIn", "messagesOut",
             coalesce(people, 0) as people, last as "lastDeliveryAt"
           from said left join sayers on sayers.platform = said.platform
             and sayers.bot_id is not distinct from said.bot_id`,
    values: [tenantId, botIds],
  });
}
