import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { firstNotice, lastNotice } from '../../conversations/store/notice-positions.ts';
import type { ConversationKey } from '../../store/conversation-of.ts';
import { messages } from '../../store/schema.ts';

interface Notice extends ConversationKey {
  /** Shown to people in the chat, and later to the model. */
  text: string;
  /** The person that the conversation continues for. The tenant's rules apply to them as if they had written. */
  sender: { platformUserId: string; name: string } | null;
}

/**
 * Locks a conversation. Returns `false` when it no longer exists. Both a notice and the end of a turn take this lock
 * before all others, so that they can't deadlock.
 */
export const lockConversation = preparedStatement({
  name: 'agents.notices.lock',
  text: 'select from agents.conversations where tenant_id = $1 and conversation_id = $2 for no key update',
  values: ({ tenantId, conversationId }: ConversationKey) => [tenantId, conversationId],
  result: (rows) => rows.length > 0,
});

/**
 * Inserts a notice before all pending messages of a conversation, which has to be locked. It is answered next, after
 * the running turn, and notices keep their order. Like a replayed message, it has a position that has already been
 * passed, so nothing waits for it and nothing is skipped.
 */
export const insertNotice = preparedStatement({
  name: 'agents.notices.insert',
  text: typedSql`with touched as (
           update agents.conversations c set waiting_since = coalesce(c.waiting_since, now()),
             ready_at = greatest(case when c.failures > 0 then c.ready_at end, now())
           where tenant_id = $1 and conversation_id = $2 returning c.next_seq)
         insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, sender,
           status, received_at, after_seq)
         select $1, agents.new_id(), $2, 'in', coalesce(max(seq), ${firstNotice}) + 1, $3, 'text', nullif($4, 'null')::jsonb,
           'queued', now(), (select next_seq - 1 from touched)
         from agents.messages where conversation_id = $2 and direction = 'in' and seq < ${lastNotice}
         returning ${columns({ messageId: messages.messageId })}`,
  values: (notice: Notice) => {
    const { tenantId, conversationId, text, sender } = notice;
    return [tenantId, conversationId, text, JSON.stringify(sender)];
  },
  result: ([row]) => row!.messageId,
});
