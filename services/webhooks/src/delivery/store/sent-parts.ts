import type { TenantTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { chats } from '../../store/schema.ts';
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

const keysOf = (chats: readonly ClaimedChat[]) => [
  chats.map(({ tenantId }) => tenantId),
  chats.map(({ botId }) => botId),
  chats.map(({ platformChatId }) => platformChatId),
  chats.map(({ fence }) => fence),
];
const held = `unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) as held (tenant_id, bot_id, platform_chat_id, fence)`;
const isHeld = `c.tenant_id = held.tenant_id and c.bot_id = held.bot_id and c.platform_chat_id = held.platform_chat_id
             and c.fence = held.fence`;

/** Locks the chats that are still held, in one order everywhere, and renews their leases. Returns how many. */
export async function lockChats(tx: TenantTx, chats: readonly ClaimedChat[]): Promise<number> {
  const rows = await tx.query({
    name: 'webhooks.chats.lock_many',
    text: `with locked as (
             select c.tenant_id, c.bot_id, c.platform_chat_id from ${held} join webhooks.chats c on ${isHeld}
             order by 1, 2, 3 for update of c)
           update webhooks.chats c set lease_until = now() + interval '${leaseSeconds} seconds' from locked
           where c.tenant_id = locked.tenant_id and c.bot_id = locked.bot_id and c.platform_chat_id = locked.platform_chat_id
           returning 1`,
    values: keysOf(chats),
  });
  return rows.length;
}

/** As `savePartOutcome`, of messages that have arrived. */
export async function saveSentParts(tx: TenantTx, sent: readonly SentPart[]): Promise<void> {
  await tx.query({
    name: 'webhooks.parts.settle_sent',
    text: `update webhooks.parts p set state = 'sent', platform_message_id = sent.message, last_error = null
           from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[]) as sent (tenant_id, part_id, send, message)
           where p.tenant_id = sent.tenant_id and p.part_id = sent.part_id and p.sends = sent.send and ${isSending}`,
    values: [
      sent.map(({ chat }) => chat.tenantId),
      sent.map(({ partId }) => partId),
      sent.map(({ send }) => send),
      sent.map(({ platformMessageId }) => platformMessageId),
    ],
  });
}

const releaseText = typedSql`with left_over as (
    select held.*, exists (select from webhooks.parts p where p.tenant_id = held.tenant_id and p.bot_id = held.bot_id
      and p.platform_chat_id = held.platform_chat_id and p.state in ('queued', 'sending')) as has_more
    from ${held}),
  released as (
    update webhooks.chats c set lease_until = null, is_booked = false, ready_at = null
    from left_over held where ${isHeld} and not held.has_more)
  select ${columns({ fence: chats.fence })} from left_over where has_more`;

/** Gives the chats back in which nothing waits, and returns the claims of the others. To be called with the chats locked. */
export async function releaseEmptyChats(tx: TenantTx, emptied: readonly ClaimedChat[]): Promise<Set<number>> {
  const rows = await tx.query({
    name: 'webhooks.chats.release_empty',
    text: releaseText,
    values: keysOf(emptied),
  });
  return new Set(rows.map(({ fence }) => fence));
}
