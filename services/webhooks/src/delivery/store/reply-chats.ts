import { chatKeyOf } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, like, moment } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, replies } from '../../store/schema.ts';
import { aheadMs, isIdle } from './chats.ts';
import type { NewReply } from './replies.ts';
import { newFence } from './sender-processes.ts';

const c = alias(chats, 'c');
const replyChat = columns({
  conversationId: replies.conversationId,
  /** The current chat, because a group may have become a supergroup since the question. */
  chatKey: chats.chatKey,
  blockedAt: c.blockedAt,
  blockedReason: c.blockedReason,
  isIdle: boolean(isIdle),
  aheadMs,
  isBooked: boolean('coalesce(c.is_booked, false)'),
  /** For a claim of the chat. */
  fence: like(chats.fence, newFence),
  now: moment('now()'),
});
/** The destination of a conversation's replies. */
export type ReplyChat = RowOf<typeof replyChat>;

const { tenantId, botId, chatKey } = getTableColumns(chats);
const addressed = unnest('reply', {
  tenantId,
  conversationId: replies.conversationId,
  botId,
  chatKey,
});
const lockText = typedSql`
  with addressed as materialized (
    select distinct reply.tenant_id,
      conversation_id,
      reply.bot_id,
      coalesce(m.to_chat_id, platform_chat_id) as platform_chat_id
    from ${addressed}
    left join webhooks.chat_moves m on m.tenant_id = reply.tenant_id
      and m.bot_id = reply.bot_id
      and m.from_chat_id = platform_chat_id
    order by tenant_id, bot_id, platform_chat_id
  )
  select ${replyChat}
  from addressed
  left join lateral (
    select blocked_at, blocked_reason, ready_at, lease_until, paced_until, is_booked
    from webhooks.chats
    where tenant_id = addressed.tenant_id
      and bot_id = addressed.bot_id
      and platform_chat_id = addressed.platform_chat_id
    for update
  ) c on true`;

/** By conversation. The chats are locked for this transaction before their parts, as the sender does it. */
export async function lockChatsOf(
  tx: TenantTx,
  answered: readonly Pick<NewReply, 'tenantId' | 'conversationId' | 'botId' | 'platform' | 'place'>[],
): Promise<Map<string, ReplyChat>> {
  if (answered.length === 0) return new Map();
  const rows = await tx.query({
    name: 'webhooks.chats.lock_for_replies',
    text: lockText,
    values: addressed.values(
      answered.map((reply) => ({
        ...reply,
        chatKey: chatKeyOf(reply.platform, reply.place.platformChatId),
      })),
    ),
  });
  return new Map(rows.map((row) => [row.conversationId, row]));
}
