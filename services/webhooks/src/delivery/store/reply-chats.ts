import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { text } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats } from '../../store/schema.ts';
import type { NewReply } from './replies.ts';

/** Where the replies of a conversation go. */
export interface ReplyChat {
  /** By the number that it has now: a group may have become a supergroup since the question. */
  platformChatId: string;
  /** Why it takes nothing, and since when; absent when it does. */
  block?: { blockedAt: Date; reason: string } | undefined;
}

const c = alias(chats, 'c');
const addressed = columns({
  conversationId: text('conversation'),
  platformChatId: text('chat'),
  blockedAt: c.blockedAt,
  blockedReason: c.blockedReason,
});
const lockText = typedSql`with addressed as materialized (
    select distinct t, conversation, b, coalesce(m.to_chat_id, chat) as chat
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) as u (t, conversation, b, chat)
    left join webhooks.chat_moves m on m.tenant_id = t and m.bot_id = b and m.from_chat_id = chat
    order by t, b, chat)
  select ${addressed}
  from addressed left join lateral (select blocked_at, blocked_reason from webhooks.chats
    where tenant_id = t and bot_id = b and platform_chat_id = chat for update) c on true`;

/** By conversation. The chats are locked for this transaction before their parts are, as the sender does it. */
export async function lockChatsOf(
  tx: TenantTx,
  replies: readonly Pick<NewReply, 'tenantId' | 'conversationId' | 'botId' | 'place'>[],
): Promise<Map<string, ReplyChat>> {
  const rows = await tx.query({
    name: 'webhooks.chats.lock_for_replies',
    text: lockText,
    values: [
      replies.map(({ tenantId }) => tenantId),
      replies.map(({ conversationId }) => conversationId),
      replies.map(({ botId }) => botId),
      replies.map(({ place }) => place.platformChatId),
    ],
  });
  return new Map(rows.map((row) => [row.conversationId, toChat(row)]));
}

const toChat = ({ platformChatId, blockedAt, blockedReason }: RowOf<typeof addressed>): ReplyChat => ({
  platformChatId,
  block: blockedAt ? { blockedAt, reason: blockedReason ?? '' } : undefined,
});
