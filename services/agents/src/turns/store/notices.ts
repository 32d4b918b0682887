import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { messages } from '../../store/schema.ts';

/** Whether the chat got a notice of this cause within the last hour. */
export const hasRecentNotice = preparedStatement({
  name: 'agents.turns.recent_notice',
  text: `select from agents.turns
         where tenant_id = $tenantId and conversation_id = $conversationId and failure = $cause
           and created_at > now() - interval '1 hour'
         limit 1`,
  values: (
    { tenantId, conversationId }: Pick<ClaimedConversation, 'tenantId' | 'conversationId'>,
    cause: string,
  ) => ({ tenantId, conversationId, cause }),
  result: (rows) => rows.length > 0,
});

const delayedText = typedSql`
  with place as (
    update agents.conversations c
    set next_reply_seq = c.next_reply_seq + 1,
      delayed_message_id = $firstMessageId
    where tenant_id = $tenantId
      and conversation_id = $conversationId
      and fence = $fence
      and next_seq = $nextSeq
      and lease_until is not null
      and delayed_message_id is distinct from $firstMessageId
      and coalesce(c.stopped_seq, 0) <= $nextSeq
      and coalesce(c.muted_fence, 0) < $fence
    returning c.next_reply_seq - 1 as seq
  )
  insert into agents.messages (
    tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at, after_seq
  )
  select $tenantId, $replyId, $conversationId, 'out', seq, $text, 'text', 'sending', now(), $afterSeq
  from place
  returning ${columns({ seq: messages.seq })}`;

/**
 * Stores a notice during the turn that begins with this message, and returns its position. It succeeds once per turn,
 * for the worker that holds the conversation, while the person hasn't stopped the turn and the bot handles the chat.
 */
export const insertDelayNotice = preparedStatement({
  name: 'agents.conversations.delayed',
  text: delayedText,
  values: (
    { tenantId, conversationId, fence, nextSeq }: ClaimedConversation,
    notice: { replyId: string; text: string; afterSeq: number; firstMessageId: string | undefined },
  ) => ({ tenantId, conversationId, fence, nextSeq, ...notice }),
  result: ([row]) => row?.seq,
});
