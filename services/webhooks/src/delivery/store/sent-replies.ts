import type { TenantTx } from '@botyard/shared/db/database';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { number } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, parts } from '../../store/schema.ts';
import { isSending } from './part-outcomes.ts';
import type { ClaimedChat } from './sending.ts';

/** A reply with one message, which has arrived. */
export interface SentReply {
  /** The claim of the worker that sent it. */
  chat: ClaimedChat;
  partId: string;
  replyId: string;
  conversationId: string;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  platformMessageId: string | null;
}

const { tenantId, botId, platformChatId, fence } = getTableColumns(chats);
const held = unnest('held', { tenantId, botId, platformChatId, fence });
const isHeld = `c.tenant_id = held.tenant_id and c.bot_id = held.bot_id and c.platform_chat_id = held.platform_chat_id
             and c.fence = held.fence`;

const allOf = (name: string) => columns({ all: number(`1 / (count(*) = cardinality($${name}))::int`) });

const lockText = typedSql`with locked as (
    select from ${held} join webhooks.chats c on ${isHeld}
    order by c.tenant_id, c.bot_id, c.platform_chat_id for update of c)
  select ${allOf('fence')} from locked`;

/** Locks the chats, always in the same order. Fails the transaction if one isn't held any more. */
export async function requireHeld(tx: TenantTx, claimed: readonly ClaimedChat[]): Promise<void> {
  await tx.query({ name: 'webhooks.chats.require_held', text: lockText, values: held.values(claimed) });
}

const { partId, platformMessageId } = getTableColumns(parts);
const arrived = unnest('sent', { tenantId: parts.tenantId, partId, send: 'integer', platformMessageId });

const settleText = typedSql`with part as (
    update webhooks.parts p set state = 'sent', platform_message_id = sent.platform_message_id, last_error = null
    from ${arrived}
    where p.tenant_id = sent.tenant_id and p.part_id = sent.part_id and p.sends = sent.send and ${isSending}
    returning p.tenant_id, p.reply_id),
  reply as (
    update webhooks.replies r set state = 'sent' from part
    where r.tenant_id = part.tenant_id and r.reply_id = part.reply_id
    returning 1)
  select ${allOf('partId')} from reply`;

/** The same as `savePartOutcome`, with the replies' states. Fails the transaction if one can't be written. */
export async function saveSentReplies(tx: TenantTx, sent: readonly SentReply[]): Promise<void> {
  await tx.query({
    name: 'webhooks.replies.settle_sent',
    text: settleText,
    values: arrived.values(sent.map(({ chat, ...reply }) => ({ ...reply, tenantId: chat.tenantId }))),
  });
}

const c = alias(chats, 'c');
const releaseText = typedSql`update webhooks.chats c set lease_until = null, is_booked = false, ready_at = null
  from ${held}
  where ${isHeld} and not exists (select from webhooks.parts p where p.tenant_id = c.tenant_id and p.bot_id = c.bot_id
    and p.platform_chat_id = c.platform_chat_id and p.state in ('queued', 'sending'))
  returning ${columns({ fence: c.fence })}`;

/** Releases the chats that have no pending parts, and returns their claims. The caller has to lock the chats first. */
export async function releaseEmptyChats(tx: TenantTx, emptied: readonly ClaimedChat[]): Promise<Set<number>> {
  const rows = await tx.query({
    name: 'webhooks.chats.release_empty',
    text: releaseText,
    values: held.values(emptied),
  });
  return new Set(rows.map(({ fence }) => fence));
}
