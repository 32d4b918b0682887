import type { EditedMessage, InboundMessage } from '@botyard/contracts/events/webhooks';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { boolean, exists } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';

/** Furthest message back that an edit can change: people edit recent messages. */
export const maxMessagesBack = 1000;
/** Edits without their messages that a conversation keeps. */
const maxEarlyEdits = 100;

const lockText = typedSql`insert into agents.conversations as c (tenant_id, conversation_id, chat_id, bot_id, integration_id,
    platform, place)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (tenant_id, conversation_id) do update set bot_id = c.bot_id
  returning ${columns({ isMade: boolean('xmax = 0') })}`;

/**
 * Locks a conversation, so that neither a message and its edit nor two edits can miss each other. One that isn't there yet is
 * made for that: it is taken away again in the same transaction. Returns whether it was.
 */
export async function lockConversation(tx: TenantTx, edit: EditedMessage): Promise<{ isMade: boolean }> {
  const [row] = await tx.query({
    name: 'agents.conversations.lock',
    text: lockText,
    values: [
      edit.tenantId,
      edit.conversationId,
      uuidv7(),
      edit.botId,
      edit.integrationId,
      edit.platform,
      JSON.stringify(edit.chat),
    ],
  });
  return { isMade: row?.isMade === true };
}

export async function deleteConversation(
  tx: TenantTx,
  { tenantId, conversationId }: EditedMessage,
): Promise<void> {
  await tx.query({
    name: 'agents.conversations.unmake',
    text: 'delete from agents.conversations where tenant_id = $1 and conversation_id = $2',
    values: [tenantId, conversationId],
  });
}

const editValues = (edit: EditedMessage) => [
  edit.tenantId,
  edit.conversationId,
  edit.chat.platformChatId,
  edit.platformMessageId,
  edit.text,
  edit.content,
  edit.command ? JSON.stringify(edit.command) : null,
  edit.attachment ? JSON.stringify(edit.attachment) : null,
  edit.editedAt,
  edit.editNumber,
];

/** A message's file is fetched once: an edit that repeats it doesn't carry the file. */
const keepingFile = (edited: string) => `${edited} || jsonb_strip_nulls(jsonb_build_object(
  'mediaId', m.attachment -> 'mediaId', 'read', m.attachment -> 'read'))`;

const editText = typedSql`with known as (
    select m.message_id from agents.messages m
    join agents.conversations c using (tenant_id, conversation_id)
    where m.tenant_id = $1 and m.conversation_id = $2 and m.direction = 'in'
      and m.seq > c.last_seq - ${maxMessagesBack}
      and m.platform_chat_id = $3 and m.platform_message_id = $4
  ), edited as (
    update agents.messages m set text = $5, content = $6, command = $7::jsonb, attachment = ${keepingFile('$8::jsonb')},
      edited_at = $9::timestamptz, edit_number = $10::bigint
    from known where m.tenant_id = $1 and m.message_id = known.message_id
      and (m.edited_at is null or (m.edited_at, m.edit_number) < ($9::timestamptz, $10::bigint))
  )
  select ${columns({ isKnown: exists('from known') })}`;

/** Changes the text of a message, unless a later edit is there. `false` when the message isn't known. */
export async function updateEdited(tx: TenantTx, edit: EditedMessage): Promise<boolean> {
  const [row] = await tx.query({ name: 'agents.messages.edit', text: editText, values: editValues(edit) });
  return row?.isKnown === true;
}

/** Keeps an edit for the message that it is of; the latest one of each. */
export async function insertEarlyEdit(tx: TenantTx, edit: EditedMessage): Promise<void> {
  await tx.query({
    name: 'agents.early_edits.insert',
    text: `insert into agents.early_edits as e (tenant_id, conversation_id, platform_chat_id, platform_message_id, text,
             content, command, attachment, edited_at, edit_number)
           select $1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9::timestamptz, $10::bigint
           where (select count(*) from agents.early_edits where tenant_id = $1 and conversation_id = $2) < ${maxEarlyEdits}
           on conflict (tenant_id, conversation_id, platform_chat_id, platform_message_id) do update set
             text = excluded.text, content = excluded.content, command = excluded.command,
             attachment = excluded.attachment, edited_at = excluded.edited_at, edit_number = excluded.edit_number
           where (e.edited_at, e.edit_number) < (excluded.edited_at, excluded.edit_number)`,
    values: editValues(edit),
  });
}

/**
 * Applies what arrived messages change: edits that came before them, and chats that take answers again. Their
 * conversations are locked by then.
 */
export async function catchUp(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  const column = <Value>(read: (message: InboundMessage) => Value) => arrived.map(read);
  await tx.query({
    name: 'agents.messages.catch_up',
    text: `with arrived as (
             select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[],
               $7::timestamptz[]) as a (tenant_id, bot_id, conversation_id, seq, platform_chat_id, platform_message_id, at)
           ), heard as (
             select tenant_id, bot_id, platform_chat_id, max(at) as at from arrived group by 1, 2, 3
           ), unblocked as (
             update agents.chat_states s set state = 'active', reason = null, changed_at = h.at from heard h
             where s.tenant_id = h.tenant_id and s.bot_id = h.bot_id and s.platform_chat_id = h.platform_chat_id
               and s.state = 'blocked' and s.changed_at < h.at
           ), early as (
             delete from agents.early_edits e using arrived a
             where e.tenant_id = a.tenant_id and e.conversation_id = a.conversation_id
               and e.platform_chat_id = a.platform_chat_id and e.platform_message_id = a.platform_message_id
             returning e.*, a.seq
           )
           update agents.messages m set text = e.text, content = e.content, command = e.command,
             attachment = ${keepingFile('e.attachment')}, edited_at = e.edited_at, edit_number = e.edit_number
           from early e where m.tenant_id = e.tenant_id and m.conversation_id = e.conversation_id
             and m.direction = 'in' and m.seq = e.seq`,
    values: [
      column(({ tenantId }) => tenantId),
      column(({ botId }) => botId),
      column(({ conversationId }) => conversationId),
      column(({ seq }) => seq),
      column(({ chat }) => chat.platformChatId),
      column(({ platformMessageId }) => platformMessageId),
      column(({ receivedAt }) => receivedAt),
    ],
  });
}

/** Edits whose messages have not come for a day: they never do. */
export async function pruneEarlyEdits(tx: PlatformTx): Promise<number> {
  const rows = await tx.query({
    name: 'agents.early_edits.prune',
    text: `delete from agents.early_edits where ctid in (select ctid from agents.early_edits
             where created_at < now() - interval '1 day' limit 5000) returning 1`,
    values: [],
  });
  return rows.length;
}
