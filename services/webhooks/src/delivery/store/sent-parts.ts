import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, parts } from '../../store/schema.ts';
import { isSending } from './part-outcomes.ts';
import { type ClaimedChat, leaseSeconds } from './sending.ts';

/** A message that has arrived. */
export interface SentPart {
  /** As the worker that sent it holds it. */
  chat: ClaimedChat;
  partId: string;
  replyId: string;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  platformMessageId: string | null;
}

const { tenantId, botId, platformChatId, fence } = getTableColumns(chats);
const held = unnest('held', { tenantId, botId, platformChatId, fence });
const isHeld = `c.tenant_id = held.tenant_id and c.bot_id = held.bot_id and c.platform_chat_id = held.platform_chat_id
             and c.fence = held.fence`;

/** Locks the chats that are still held, in one order everywhere, and renews their leases. Returns how many. */
export async function lockChats(tx: TenantTx, claimed: readonly ClaimedChat[]): Promise<number> {
  return await tx.count({
    name: 'webhooks.chats.lock_many',
    text: `with locked as (
             select c.tenant_id, c.bot_id, c.platform_chat_id from ${held} join webhooks.chats c on ${isHeld}
             order by 1, 2, 3 for update of c)
           update webhooks.chats c set lease_until = now() + interval '${leaseSeconds} seconds' from locked
           where c.tenant_id = locked.tenant_id and c.bot_id = locked.bot_id and c.platform_chat_id = locked.platform_chat_id
           returning 1`,
    values: held.values(claimed),
  });
}

const { partId, platformMessageId } = getTableColumns(parts);
const arrived = unnest('sent', { tenantId: parts.tenantId, partId, send: 'integer', platformMessageId });

/** As `savePartOutcome`, of messages that have arrived. */
export async function saveSentParts(tx: TenantTx, sent: readonly SentPart[]): Promise<void> {
  await tx.query({
    name: 'webhooks.parts.settle_sent',
    text: `update webhooks.parts p set state = 'sent', platform_message_id = sent.platform_message_id, last_error = null
           from ${arrived}
           where p.tenant_id = sent.tenant_id and p.part_id = sent.part_id and p.sends = sent.send and ${isSending}`,
    values: arrived.values(sent.map(({ chat, ...part }) => ({ ...part, tenantId: chat.tenantId }))),
  });
}

const releaseText = typedSql`with left_over as (
    select held.*, exists (select from webhooks.parts p where p.tenant_id = held.tenant_id and p.bot_id = held.bot_id
      and p.platform_chat_id = held.platform_chat_id and p.state in ('queued', 'sending')) as has_more
    from ${held}),
  released as (
    update webhooks.chats c set lease_until = null, is_booked = false, ready_at = null
    from left_over held where ${isHeld} and not held.has_more)
  select ${columns({ fence })} from left_over where has_more`;

/**
 * Gives the chats back in which nothing waits, and returns the claims of the others. To be called with the chats
 * locked.
 */
export async function releaseEmptyChats(tx: TenantTx, emptied: readonly ClaimedChat[]): Promise<Set<number>> {
  const rows = await tx.query({
    name: 'webhooks.chats.release_empty',
    text: releaseText,
    values: held.values(emptied),
  });
  return new Set(rows.map(({ fence }) => fence));
}
