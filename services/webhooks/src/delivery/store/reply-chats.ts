import type { TenantTx } from '@botyard/shared/db/database';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, replies } from '../../store/schema.ts';
import type { NewReply } from './replies.ts';

/** The destination of a conversation's replies. */
export interface ReplyChat {
  /** The current chat id, because a group may have become a supergroup since the question. */
  platformChatId: string;
  /** The reason and time of a block; absent if the chat is open. */
  block?: { blockedAt: Date; reason: string } | undefined;
}

const c = alias(chats, 'c');
const addressed = columns({
  conversationId: replies.conversationId,
  platformChatId: chats.platformChatId,
  blockedAt: c.blockedAt,
  blockedReason: c.blockedReason,
});
const { tenantId, botId, platformChatId } = getTableColumns(chats);
const asked = unnest('asked', { tenantId, conversationId: replies.conversationId, botId, platformChatId });
const lockText = typedSql`
  with addressed as materialized (
    select distinct asked.tenant_id,
      conversation_id,
      asked.bot_id,
      coalesce(m.to_chat_id, platform_chat_id) as platform_chat_id
    from ${asked}
    left join webhooks.chat_moves m on m.tenant_id = asked.tenant_id
      and m.bot_id = asked.bot_id
      and m.from_chat_id = platform_chat_id
    order by tenant_id, bot_id, platform_chat_id
  )
  select ${addressed}
  from addressed
  left join lateral (
    select blocked_at, blocked_reason
    from webhooks.chats
    where tenant_id = addressed.tenant_id
      and bot_id = addressed.bot_id
      and platform_chat_id = addressed.platform_chat_id
    for update
  ) c on true`;

/** By conversation. The chats are locked for this transaction before their parts, as the sender does it. */
export async function lockChatsOf(
  tx: TenantTx,
  answered: readonly Pick<NewReply, 'tenantId' | 'conversationId' | 'botId' | 'place'>[],
): Promise<Map<string, ReplyChat>> {
  if (answered.length === 0) return new Map();
  const rows = await tx.query({
    name: 'webhooks.chats.lock_for_replies',
    text: lockText,
    values: asked.values(answered.map((reply) => ({ ...reply, platformChatId: reply.place.platformChatId }))),
  });
  return new Map(rows.map((row) => [row.conversationId, toChat(row)]));
}

const toChat = ({ platformChatId, blockedAt, blockedReason }: RowOf<typeof addressed>): ReplyChat => ({
  platformChatId,
  block: blockedAt ? { blockedAt, reason: blockedReason ?? '' } : undefined,
});
