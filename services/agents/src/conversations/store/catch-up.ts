import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { chatKeyOf } from '@botyard/contracts/http/platform';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { conversations, messages } from '../../store/schema.ts';
import { keepingFile } from './edits.ts';

const { tenantId, conversationId, seq, platformChatId, platformMessageId, receivedAt } =
  getTableColumns(messages);
const arrivals = unnest('arrived', {
  tenantId,
  botId: conversations.botId,
  conversationId,
  seq,
  platformChatId,
  platformMessageId,
  receivedAt,
  chatKey: 'text',
});

const catchUpText = `
  with arrived as (
    select * from ${arrivals}
  ), last_arrival as (
    select tenant_id, bot_id, chat_key, max(received_at) as at
    from arrived
    group by tenant_id, bot_id, chat_key
  ), unblocked as (
    update agents.chat_states chat
    set state = 'active', reason = null, changed_at = last_arrival.at
    from last_arrival
    where chat.tenant_id = last_arrival.tenant_id
      and chat.bot_id = last_arrival.bot_id
      and chat.platform_chat_id = last_arrival.chat_key
      and chat.state = 'blocked'
      and chat.changed_at < last_arrival.at
  ), early as (
    select edit.*, arrived.seq
    from agents.early_edits edit
    join arrived using (tenant_id, conversation_id, platform_message_id)
    where edit.platform_chat_id = arrived.platform_chat_id or edit.deleted_at is not null
  ), applied as (
    delete from agents.early_edits edit
    using early
    where edit.tenant_id = early.tenant_id
      and edit.conversation_id = early.conversation_id
      and edit.platform_chat_id = early.platform_chat_id
      and edit.platform_message_id = early.platform_message_id
      and edit.deleted_at is null
  ), unquoted as (
    delete from agents.quotes quote
    using early
    where quote.tenant_id = early.tenant_id
      and quote.conversation_id = early.conversation_id
      and quote.seq = early.seq
      and early.deleted_at is not null
  )
  update agents.messages message
  set text = early.text, content = early.content, command = early.command,
    attachment = ${keepingFile('early.attachment')},
    mail = case when early.deleted_at is null then message.mail end,
    edited_at = nullif(early.edited_at, early.deleted_at),
    edit_number = early.edit_number,
    deleted_at = early.deleted_at,
    status = case when early.deleted_at is null then message.status else 'ignored' end
  from early
  where message.tenant_id = early.tenant_id
    and message.conversation_id = early.conversation_id
    and message.direction = 'in'
    and message.seq = early.seq`;

/**
 * Applies the effects of arrived messages: edits and deletions that came before them, and chats that accept answers
 * again. The caller has locked their conversations.
 */
export const catchUp = preparedStatement({
  name: 'agents.messages.catch_up',
  text: catchUpText,
  values: (arrived: readonly InboundMessage[]) =>
    arrivals.values(
      arrived.map(({ chat: { platformChatId }, ...message }) => ({
        ...message,
        platformChatId,
        chatKey: chatKeyOf(message.platform, platformChatId),
      })),
    ),
});
