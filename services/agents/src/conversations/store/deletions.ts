import type { DeletedMessage } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';

const valuesOf = ({
  tenantId,
  conversationId,
  platformChatId,
  platformMessageIds,
  deletedAt,
}: DeletedMessage) => ({ tenantId, conversationId, platformChatId, platformMessageIds, deletedAt });

/**
 * Empties a deleted message, and removes quotes of it and a summary that may repeat it. It keeps its position. The
 * caller has locked the conversation.
 */
export async function emptyDeleted(tx: TenantTx, deletion: DeletedMessage): Promise<void> {
  const { platformChatId: _, ...values } = valuesOf(deletion);
  await tx.query({
    name: 'agents.messages.empty_deleted',
    text: `with theirs as (
             update agents.messages m set text = '', content = 'unsupported', command = null, attachment = null,
               mail = null, last_error = null, dead_at = null, deleted_at = coalesce(m.deleted_at, $deletedAt::timestamptz),
               status = case when m.status in ('queued', 'dead') then 'ignored' else m.status end
             where m.tenant_id = $tenantId and m.conversation_id = $conversationId and m.direction = 'in'
               and m.platform_message_id = any ($platformMessageIds::text[])
             returning m.message_id, m.seq
           ), quotes as (
             delete from agents.quotes q where q.tenant_id = $tenantId and q.conversation_id = $conversationId
               and (q.seq in (select seq from theirs) or q.platform_message_id = any ($platformMessageIds::text[]))
           ), repeating as (
             delete from agents.summaries s using agents.conversations c
             where s.tenant_id = $tenantId and s.conversation_id = $conversationId
               and c.tenant_id = s.tenant_id and c.conversation_id = s.conversation_id
               and (s.lease_until > now() or exists (select from theirs where message_id <= c.summarized_until))
               and exists (select from theirs)
             returning s.conversation_id
           )
           update agents.conversations c set summarized_until = null
           from repeating where c.tenant_id = $tenantId and c.conversation_id = repeating.conversation_id`,
    values,
  });
}

/** Stores a deletion for a message that hasn't arrived, or of which the archive has a copy. */
export async function insertEarlyDeletion(tx: TenantTx, deletion: DeletedMessage): Promise<void> {
  await tx.query({
    name: 'agents.early_edits.insert_deletion',
    text: `insert into agents.early_edits (tenant_id, conversation_id, platform_chat_id, platform_message_id, text, content,
             edited_at, edit_number, deleted_at)
           select $tenantId, $conversationId, $platformChatId, id, '', 'unsupported',
             $deletedAt::timestamptz, 0, $deletedAt::timestamptz
           from unnest($platformMessageIds::text[]) as deleted (id)
           where not exists (select from agents.messages m
             where m.tenant_id = $tenantId and m.conversation_id = $conversationId and m.direction = 'in'
               and m.platform_message_id = id and m.archived_in is null)
           on conflict (tenant_id, conversation_id, platform_chat_id, platform_message_id) do update set
             text = '', content = 'unsupported', command = null, attachment = null, edited_at = excluded.edited_at,
             edit_number = 0, deleted_at = excluded.deleted_at`,
    values: valuesOf(deletion),
  });
}
