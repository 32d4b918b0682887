import type { DeletedMessage, EditedMessage } from '@botyard/contracts/events/webhooks';
import type { PlatformTx } from '@botyard/shared/db/database';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { editValues } from './edits.ts';

/** The most edits that a conversation stores before their messages arrive. */
const maxEarlyEdits = 100;

/** Stores an edit until its message arrives; only the latest edit per message, and none of a deleted one. */
export const insertEarlyEdit = preparedStatement({
  name: 'agents.early_edits.insert',
  text: `
    with stored as (
      select platform_message_id, deleted_at
      from agents.early_edits
      where tenant_id = $tenantId and conversation_id = $conversationId
    )
    insert into agents.early_edits as edit (tenant_id, conversation_id, platform_chat_id, platform_message_id,
      text, content, command, attachment, edited_at, edit_number)
    select $tenantId, $conversationId, $platformChatId, $platformMessageId,
      $text, $content, $command::jsonb, $attachment::jsonb, $editedAt::timestamptz, $editNumber::bigint
    where (select count(*) from stored where deleted_at is null) < ${maxEarlyEdits}
      and not exists (select from stored where platform_message_id = $platformMessageId and deleted_at is not null)
    on conflict (tenant_id, conversation_id, platform_chat_id, platform_message_id) do update
    set text = excluded.text, content = excluded.content, command = excluded.command,
      attachment = excluded.attachment, edited_at = excluded.edited_at, edit_number = excluded.edit_number
    where (edit.edited_at, edit.edit_number) < (excluded.edited_at, excluded.edit_number)`,
  values: (edit: EditedMessage) => editValues(edit),
});

/** Stores a deletion for a message that hasn't arrived, or of which the archive has a copy. */
export const insertEarlyDeletion = preparedStatement({
  name: 'agents.early_edits.insert_deletion',
  text: `
    insert into agents.early_edits (tenant_id, conversation_id, platform_chat_id, platform_message_id,
      text, content, edited_at, edit_number, deleted_at)
    select $tenantId, $conversationId, $platformChatId, id,
      '', 'unsupported', $deletedAt::timestamptz, 0, $deletedAt::timestamptz
    from unnest($platformMessageIds::text[]) as deleted (id)
    where not exists (
      select from agents.messages
      where tenant_id = $tenantId and conversation_id = $conversationId and direction = 'in'
        and platform_message_id = id and archived_in is null
    )
    on conflict (tenant_id, conversation_id, platform_chat_id, platform_message_id) do update
    set text = '', content = 'unsupported', command = null, attachment = null,
      edited_at = excluded.edited_at, edit_number = 0, deleted_at = excluded.deleted_at`,
  values: (deletion: DeletedMessage) => {
    const { tenantId, conversationId, platformChatId, platformMessageIds, deletedAt } = deletion;
    return { tenantId, conversationId, platformChatId, platformMessageIds, deletedAt };
  },
});

/** Removes edits and deletions whose messages have not arrived for a day: they never will. */
export async function pruneEarlyEdits(tx: PlatformTx): Promise<number> {
  const rows = await tx.query({
    name: 'agents.early_edits.prune',
    text: `
      delete from agents.early_edits
      where ctid in (
        select ctid
        from agents.early_edits
        where created_at < now() - interval '1 day'
          and (deleted_at is null or unarchived_at is not null)
        limit 5000
      )
      returning 1`,
    values: [],
  });
  return rows.length;
}
