import type {
  ChatPlace,
  DeletedMessage,
  EditedMessage,
  InboundMessage,
} from '@botyard/contracts/events/webhooks';
import { chatKeyOf } from '@botyard/contracts/http/platform';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, exists } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';
import { conversations, messages } from '../../store/schema.ts';

/** The furthest message back that an edit can change: people edit recent messages. */
export const maxMessagesBack = 1000;
/** The most edits that a conversation stores before their messages arrive. */
const maxEarlyEdits = 100;

const lockText = typedSql`insert into agents.conversations as c (tenant_id, conversation_id, chat_id, bot_id, integration_id,
    platform, place)
  values ($tenantId, $conversationId, $chatId, $botId, $integrationId, $platform, $place)
  on conflict (tenant_id, conversation_id) do update set bot_id = c.bot_id
  returning ${columns({ isMade: boolean('xmax = 0') })}`;

/**
 * Locks a conversation, so that a message and its edit, or two edits, can't miss each other. A missing conversation is
 * created for the lock, and deleted again in the same transaction. Returns whether it was created.
 */
export async function lockConversation(
  tx: TenantTx,
  change: Omit<DeletedMessage, 'platformChatId' | 'platformMessageIds' | 'deletedAt'> & { chat: ChatPlace },
): Promise<{ isMade: boolean }> {
  const { tenantId, conversationId, botId, integrationId, platform, chat } = change;
  const [row] = await tx.query({
    name: 'agents.conversations.lock',
    text: lockText,
    values: {
      tenantId,
      conversationId,
      chatId: uuidv7(),
      botId,
      integrationId,
      platform,
      place: JSON.stringify(chat),
    },
  });
  return { isMade: row?.isMade === true };
}

export async function deleteConversation(
  tx: TenantTx,
  { tenantId, conversationId }: Pick<EditedMessage, 'tenantId' | 'conversationId'>,
): Promise<void> {
  await tx.query({
    name: 'agents.conversations.unmake',
    text: 'delete from agents.conversations where tenant_id = $1 and conversation_id = $2',
    values: [tenantId, conversationId],
  });
}

const jsonOf = (value?: object) => (value ? JSON.stringify(value) : null);

const editValues = ({ chat, command, attachment, ...edit }: EditedMessage) => ({
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

/** A message's file is fetched once: an edit that repeats the file doesn't carry the stored data. */
const keepingFile = (edited: string) => `${edited} || jsonb_strip_nulls(jsonb_build_object(
  'mediaId', m.attachment -> 'mediaId', 'read', m.attachment -> 'read'))`;

const editText = typedSql`with known as (
    select m.message_id from agents.messages m
    join agents.conversations c using (tenant_id, conversation_id)
    where m.tenant_id = $tenantId and m.conversation_id = $conversationId and m.direction = 'in'
      and m.seq > c.last_seq - ${maxMessagesBack}
      and m.platform_chat_id = $platformChatId and m.platform_message_id = $platformMessageId
  ), edited as (
    update agents.messages m set text = $text, content = $content, command = $command::jsonb, attachment = ${keepingFile('$attachment::jsonb')},
      edited_at = $editedAt::timestamptz, edit_number = $editNumber::bigint
    from known where m.tenant_id = $tenantId and m.message_id = known.message_id and m.deleted_at is null
      and (m.edited_at is null or (m.edited_at, m.edit_number) < ($editedAt::timestamptz, $editNumber::bigint))
  )
  select ${columns({ isKnown: exists('from known') })}`;

/**
 * Changes the text of a message, unless a later edit is stored or it was deleted. Returns `false` when the message
 * isn't known.
 */
export async function updateEdited(tx: TenantTx, edit: EditedMessage): Promise<boolean> {
  const [row] = await tx.query({ name: 'agents.messages.edit', text: editText, values: editValues(edit) });
  return row?.isKnown === true;
}

/** Stores an edit until its message arrives; only the latest edit per message, and none of a deleted one. */
export async function insertEarlyEdit(tx: TenantTx, edit: EditedMessage): Promise<void> {
  await tx.query({
    name: 'agents.early_edits.insert',
    text: `insert into agents.early_edits as e (tenant_id, conversation_id, platform_chat_id, platform_message_id, text,
             content, command, attachment, edited_at, edit_number)
           select $tenantId, $conversationId, $platformChatId, $platformMessageId, $text, $content,
             $command::jsonb, $attachment::jsonb, $editedAt::timestamptz, $editNumber::bigint
           where (select count(*) from agents.early_edits where tenant_id = $tenantId and conversation_id = $conversationId and deleted_at is null) < ${maxEarlyEdits}
             and not exists (select from agents.early_edits where tenant_id = $tenantId and conversation_id = $conversationId
               and platform_message_id = $platformMessageId and deleted_at is not null)
           on conflict (tenant_id, conversation_id, platform_chat_id, platform_message_id) do update set
             text = excluded.text, content = excluded.content, command = excluded.command,
             attachment = excluded.attachment, edited_at = excluded.edited_at, edit_number = excluded.edit_number
           where (e.edited_at, e.edit_number) < (excluded.edited_at, excluded.edit_number)`,
    values: editValues(edit),
  });
}

const { tenantId, conversationId, seq, platformChatId, platformMessageId, receivedAt } =
  getTableColumns(messages);
const come = unnest('come', {
  tenantId,
  botId: conversations.botId,
  conversationId,
  seq,
  platformChatId,
  platformMessageId,
  receivedAt,
  chatKey: 'text',
});

/**
 * Applies the effects of arrived messages: edits and deletions that came before them, and chats that accept answers
 * again. The caller has locked their conversations.
 */
export async function catchUp(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  await tx.query({
    name: 'agents.messages.catch_up',
    text: `with arrived as (
             select * from ${come}
           ), heard as (
             select tenant_id, bot_id, chat_key, max(received_at) as at from arrived group by 1, 2, 3
           ), unblocked as (
             update agents.chat_states s set state = 'active', reason = null, changed_at = h.at from heard h
             where s.tenant_id = h.tenant_id and s.bot_id = h.bot_id and s.platform_chat_id = h.chat_key
               and s.state = 'blocked' and s.changed_at < h.at
           ), early as (
             select e.*, a.seq from agents.early_edits e join arrived a using (tenant_id, conversation_id, platform_message_id)
             where e.platform_chat_id = a.platform_chat_id or e.deleted_at is not null
           ), applied as (
             delete from agents.early_edits e using early
             where e.tenant_id = early.tenant_id and e.conversation_id = early.conversation_id
               and e.platform_chat_id = early.platform_chat_id and e.platform_message_id = early.platform_message_id
               and e.deleted_at is null
           ), unquoted as (
             delete from agents.quotes q using early where q.tenant_id = early.tenant_id
               and q.conversation_id = early.conversation_id and q.seq = early.seq and early.deleted_at is not null
           )
           update agents.messages m set text = e.text, content = e.content, command = e.command,
             attachment = ${keepingFile('e.attachment')}, mail = case when e.deleted_at is null then m.mail end,
             edited_at = nullif(e.edited_at, e.deleted_at), edit_number = e.edit_number, deleted_at = e.deleted_at,
             status = case when e.deleted_at is null then m.status else 'ignored' end
           from early e where m.tenant_id = e.tenant_id and m.conversation_id = e.conversation_id
             and m.direction = 'in' and m.seq = e.seq`,
    values: come.values(
      arrived.map(({ chat: { platformChatId }, ...message }) => ({
        ...message,
        platformChatId,
        chatKey: chatKeyOf(message.platform, platformChatId),
      })),
    ),
  });
}

/** Removes edits and deletions whose messages have not arrived for a day: they never will. */
export async function pruneEarlyEdits(tx: PlatformTx): Promise<number> {
  const rows = await tx.query({
    name: 'agents.early_edits.prune',
    text: `delete from agents.early_edits where ctid in (select ctid from agents.early_edits
             where created_at < now() - interval '1 day' and (deleted_at is null or unarchived_at is not null) limit 5000) returning 1`,
    values: [],
  });
  return rows.length;
}
