import type { DataOf } from '@botyard/contracts/events/definition';
import type { replyRated } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';

/** Outcomes of older sessions stay: their messages may be archived. */
const decidedAgainDays = 7;

/**
 * Saves how a person rated an answer of an agent, unless a newer rating is stored. The outcomes of its session are
 * decided again.
 */
export async function saveRating(
  tx: TenantTx,
  { tenantId, conversationId, replyId, rating, ratedAt }: DataOf<typeof replyRated>,
): Promise<void> {
  await tx.count({
    name: 'agents.outcomes.rate',
    text: `with rated as (
             update agents.messages set rating = $rating, rated_at = $ratedAt::timestamptz
             where tenant_id = $tenantId
               and message_id = $replyId
               and conversation_id = $conversationId
               and direction = 'out'
               and agent_id is not null
               and staff_id is null
               and (rated_at is null or rated_at <= $ratedAt::timestamptz)
             returning message_id
           )
           update agents.session_outcomes o
           set due_at = now()
           from rated
           join agents.turns t on t.tenant_id = $tenantId and t.reply_id = rated.message_id
           where o.tenant_id = t.tenant_id
             and o.session_id = t.session_id
             and o.agent_id = t.agent_id
             and o.began_at > now() - make_interval(days => ${decidedAgainDays})
           returning 1`,
    values: { tenantId, conversationId, replyId, rating, ratedAt },
  });
}
