import { chatKeyOf } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { moment, notNull } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, parts } from '../../store/schema.ts';
import type { BotChat } from './chat-moves.ts';

const blockText = typedSql`insert into webhooks.chats as c (tenant_id, bot_id, platform_chat_id, integration_id, platform,
    blocked_at, blocked_reason, member_changed_at)
  values ($tenantId, $botId, $chatKey, $integrationId, $platform, clock_timestamp(), $reason, $happenedAt)
  on conflict (tenant_id, bot_id, platform_chat_id) do update set
    blocked_at = excluded.blocked_at, blocked_reason = excluded.blocked_reason,
    member_changed_at = greatest(c.member_changed_at, excluded.member_changed_at)
  where c.blocked_at is null and ($happenedAt = 0 or c.member_changed_at <= $happenedAt)
  returning ${columns({ at: notNull(chats.blockedAt) })}`;

export type OwnChat = BotChat & { integrationId: string };

/**
 * Records that a chat accepts nothing from now on. Returns the time, or `undefined` when that was known, or when a
 * newer change is known from the platform (`happenedAt`, in its seconds).
 */
export const blockChat = preparedStatement({
  name: 'webhooks.chats.block',
  text: blockText,
  values: (
    { tenantId, botId, integrationId, platform, platformChatId }: OwnChat,
    { reason, happenedAt = 0 }: { reason: string; happenedAt?: number },
  ) => {
    const chatKey = chatKeyOf(platform, platformChatId);
    return { tenantId, botId, chatKey, integrationId, reason, happenedAt, platform };
  },
  result: ([row]) => row?.at,
});

const unblockText = typedSql`update webhooks.chats c set blocked_at = null, blocked_reason = null,
    member_changed_at = greatest(c.member_changed_at, $4)
  where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and blocked_at is not null
    and ($4 = 0 or member_changed_at <= $4)
  returning ${columns({ at: moment('clock_timestamp()') })}`;

/**
 * Records that a chat accepts messages again. Returns the time, or `undefined` when it wasn't blocked, or a newer
 * change is known.
 */
export const unblockChat = preparedStatement({
  name: 'webhooks.chats.unblock',
  text: unblockText,
  values: (
    { tenantId, botId, platform, platformChatId }: BotChat,
    { happenedAt = 0 }: { happenedAt?: number } = {},
  ) => [tenantId, botId, chatKeyOf(platform, platformChatId), happenedAt],
  result: ([row]) => row?.at,
});

const giveUpText = typedSql`
  update webhooks.parts
  set state = 'failed', last_error = $4
  where tenant_id = $1
    and bot_id = $2
    and platform_chat_id = $3
    and state in ('queued', 'sending')
    and state = any ($5::text[])
  returning ${columns({ replyId: parts.replyId })}`;

/** Gives up the parts of a chat in these states. Returns the replies that they belong to. */
export async function giveUpPartsIn(
  tx: TenantTx,
  chat: BotChat,
  { reason, states }: { reason: string; states: readonly ('queued' | 'sending')[] },
): Promise<{ tenantId: string; replyId: string }[]> {
  const rows = await tx.query({
    name: 'webhooks.parts.give_up',
    text: giveUpText,
    values: [chat.tenantId, chat.botId, chatKeyOf(chat.platform, chat.platformChatId), reason, states],
  });
  return rows.flatMap(({ replyId }) => (replyId === null ? [] : [{ tenantId: chat.tenantId, replyId }]));
}
