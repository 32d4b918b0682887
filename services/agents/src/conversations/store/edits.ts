import type { EditedMessage } from '@botyard/contracts/events/webhooks';
import { exists } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';

/** The furthest message back that an edit can change: people edit recent messages. */
export const maxMessagesBack = 1000;

/** A message's file is fetched once: an edit that repeats the file doesn't carry the stored data. */
export const keepingFile = (attachment: string) => `${attachment} || jsonb_strip_nulls(jsonb_build_object(
  'mediaId', message.attachment -> 'mediaId', 'read', message.attachment -> 'read'))`;

const jsonOf = (value?: object) => (value ? JSON.stringify(value) : null);

export const editValues = ({ chat, command, attachment, ...edit }: EditedMessage) => ({
  tenantId: edit.tenantId,
  conversationId: edit.conversationId,
  platformChatId: chat.platformChatId,
  platformMessageId: edit.platformMessageId,
  text: edit.text,
  content: edit.content,
  command: jsonOf(command),
  attachment: jsonOf(attachment),
  editedAt: edit.editedAt,
  editNumber: edit.editNumber,
});

const editText = typedSql`
  with target as (
    select message_id
    from agents.messages message
    join agents.conversations conversation using (tenant_id, conversation_id)
    where tenant_id = $tenantId
      and conversation_id = $conversationId
      and direction = 'in'
      and seq > conversation.last_seq - ${maxMessagesBack}
      and message.platform_chat_id = $platformChatId
      and platform_message_id = $platformMessageId
  ), edited as (
    update agents.messages message
    set text = $text, content = $content, command = $command::jsonb,
      attachment = ${keepingFile('$attachment::jsonb')},
      edited_at = $editedAt::timestamptz, edit_number = $editNumber::bigint
    from target
    where message.tenant_id = $tenantId
      and message.message_id = target.message_id
      and deleted_at is null
      and (edited_at is null or (edited_at, edit_number) < ($editedAt::timestamptz, $editNumber::bigint))
  )
  select ${columns({ isKnown: exists('from target') })}`;

/**
 * Changes the text of a message, unless a later edit is stored or it was deleted. Returns `false` when the message
 * isn't known.
 */
export const updateEdited = preparedStatement({
  name: 'agents.messages.edit',
  text: editText,
  values: (edit: EditedMessage) => editValues(edit),
  result: ([row]) => row?.isKnown === true,
});
