import type { PlatformTx } from '@botyard/shared/db/database';
import { and, eq, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { typedSql } from '@botyard/shared/db/typed-sql';
import { type Conversation, newReply } from '../../delivery/store/replies.ts';
import { replies } from '../../store/schema.ts';

/**
 * Conversations in which a reply has waited for 3 minutes, which is longer than all attempts for an earlier event take.
 */
export async function listOverdueConversations(tx: PlatformTx): Promise<Conversation[]> {
  return await tx.db
    .selectDistinct({ tenantId: replies.tenantId, conversationId: replies.conversationId })
    .from(replies)
    .where(and(eq(replies.state, 'waiting'), sql`${replies.createdAt} < now() - interval '3 minutes'`))
    .limit(100);
}

const passText = typedSql`
  with first as (
    select *
    from webhooks.replies
    where tenant_id = $1 and conversation_id = $2 and state = 'waiting'
    order by reply_seq
    limit 1
  ), passed as (
    update webhooks.reply_turns r
    set next_reply_seq = greatest(r.next_reply_seq, first.reply_seq)
    from first
    where r.tenant_id = $1 and r.conversation_id = $2
  )
  select ${newReply}
  from first`;

/** Lets the first reply that waits in a conversation be the next one. Returns it. */
export const passOver = preparedStatement({
  name: 'webhooks.replies.pass_over',
  text: passText,
  values: ({ tenantId, conversationId }: Conversation) => [tenantId, conversationId],
  result: ([row]) => row,
});
