import type { TenantTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { conversations } from '../../store/schema.ts';

const nextReplyText = typedSql`
  select ${columns({ nextReplySeq: conversations.nextReplySeq })}
  from agents.conversations
  where tenant_id = $tenantId and conversation_id = $conversationId`;

/** The position of the conversation's next reply; `undefined` if it no longer exists. */
export async function getNextReplySeq(
  tx: TenantTx,
  { tenantId, conversationId }: Pick<ClaimedConversation, 'tenantId' | 'conversationId'>,
): Promise<number | undefined> {
  const row = await tx.first({
    name: 'agents.conversations.next_reply',
    text: nextReplyText,
    values: { tenantId, conversationId },
  });
  return row?.nextReplySeq;
}
