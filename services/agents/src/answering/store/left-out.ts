import type { TenantTx } from '@botyard/shared/db/database';
import type { ConversationKey } from '../../store/conversation-of.ts';
import { deleteSummary } from './summaries.ts';

/**
 * Messages that stay out of later questions, because the model's provider refuses them: all until a moment, or those
 * that were answered.
 */
export type LeftOut = { contextUntil: Date } | { messageIds: readonly string[] };

/** Keeps messages that a provider refuses out of later questions, and out of summaries. */
export async function leaveOut(tx: TenantTx, conversation: ConversationKey, leftOut: LeftOut): Promise<void> {
  const { tenantId, conversationId } = conversation;
  if ('messageIds' in leftOut) {
    await tx.query({
      name: 'agents.messages.leave_out',
      text: `update agents.messages set is_left_out = true
             where tenant_id = $tenantId and message_id = any ($messageIds::uuid[])`,
      values: { tenantId, messageIds: leftOut.messageIds },
    });
    return;
  }
  await tx.query({
    name: 'agents.conversations.leave_out',
    text: `update agents.conversations
           set context_from = greatest(context_from, $contextUntil), summarized_until = null
           where tenant_id = $tenantId and conversation_id = $conversationId`,
    values: { tenantId, conversationId, contextUntil: leftOut.contextUntil },
  });
  await deleteSummary(tx, conversation);
}
