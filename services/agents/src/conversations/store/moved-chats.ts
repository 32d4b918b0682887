import type { DataOf } from '@botyard/contracts/events/definition';
import type { chatMigrated } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { lastNotice } from './notice-positions.ts';

type Migration = DataOf<typeof chatMigrated>;

/** Moves the conversation to the new chat. `false` if there is no such conversation yet. */
export const movePlace = preparedStatement({
  name: 'agents.conversations.move',
  text: `update agents.conversations set place = case when place ->> 'platformChatId' = $3
           then place || jsonb_build_object('platformChatId', $4::text, 'migratedFrom', $3::text) else place end
         where tenant_id = $1 and conversation_id = $2 returning 1`,
  values: ({ tenantId, conversationId, ...moved }: Migration) => [
    tenantId,
    conversationId,
    moved.fromChatId,
    moved.toChatId,
  ],
  result: (rows) => rows.length > 0,
});

/** The distance of adopted messages from the others. */
const gap = 1_000_000_000;

/**
 * Moves interim messages and turns of the new chat into the conversation that continues. Messages that still wait for
 * an answer stay, and are answered in the interim conversation.
 */
export async function adoptInterim(
  tx: TenantTx,
  { tenantId, conversationId, interimConversationId }: Migration,
): Promise<void> {
  const ofInterim = 'tenant_id = $1 and conversation_id = $3';
  // A conversation may adopt several times: each time what it adopts comes before all that it has.
  const offset = '(select distance from room)';
  await tx.query({
    name: 'agents.conversations.adopt',
    text: `with room as (
             select ${gap} + coalesce((select max(seq) from agents.messages where ${ofInterim}), 0)
               - least(0, (select min(seq) from agents.messages where tenant_id = $1 and conversation_id = $2
                 and seq > ${lastNotice})) as distance
           ), moved as (
             update agents.messages set conversation_id = $2, seq = seq - ${offset},
               after_seq = after_seq - ${offset}
             where ${ofInterim} and status <> 'queued' returning direction, seq
           ), quoted as (
             update agents.quotes set conversation_id = $2, seq = seq - ${offset}
             where ${ofInterim} and seq - ${offset} in (select seq from moved where direction = 'in')
           ), answered as (
             update agents.turns set conversation_id = $2 where ${ofInterim}
           )
           insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name, username,
             first_seen_at, last_seen_at)
           select tenant_id, $2, person_id, platform, platform_user_id, name, username, first_seen_at, last_seen_at
           from agents.people where ${ofInterim}
           on conflict (tenant_id, conversation_id, person_id) do nothing`,
    values: [tenantId, conversationId, interimConversationId],
  });
}
