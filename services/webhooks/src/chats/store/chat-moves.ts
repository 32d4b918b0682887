import { chatKeyOf, type PlatformName, platformChatIdOf } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { boolean, text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { chats } from '../../store/schema.ts';

export interface BotChat {
  tenantId: string;
  botId: string;
  platform: PlatformName;
  platformChatId: string;
}

export interface ChatMove {
  tenantId: string;
  botId: string;
  platform: PlatformName;
  fromChatId: string;
  toChatId: string;
}

/** More moves of one chat than this are followed in part. */
const maxMoves = 20;
/** The last chat on the way along moves, from one of these columns to the other. */
const endOfMoves = (from: string, to: string) => typedSql`
  with recursive way as (
    select ${to} as chat_key, 1 as step
    from webhooks.chat_moves
    where tenant_id = $1 and bot_id = $2 and ${from} = $3
    union all
    select m.${to}, step + 1
    from way join webhooks.chat_moves m on m.tenant_id = $1 and m.bot_id = $2 and m.${from} = way.chat_key
    where step < ${maxMoves}
  )
  select ${columns({ chatKey: text('chat_key') })} from way order by step desc limit 1`;
const formerText = endOfMoves('to_chat_id', 'from_chat_id');
const currentText = endOfMoves('from_chat_id', 'to_chat_id');

/** The first identifier of a chat that was migrated; `undefined` if it was not. */
export const findFormerChatId = preparedStatement({
  name: 'webhooks.chat_moves.former',
  text: formerText,
  values: ({ tenantId, botId, platform, platformChatId }: BotChat) => [
    tenantId,
    botId,
    chatKeyOf(platform, platformChatId),
  ],
  result: ([row], { platform }) => row && platformChatIdOf(platform, row.chatKey),
});

/** The chat's current identifier. */
export const findCurrentChatId = preparedStatement({
  name: 'webhooks.chat_moves.current',
  text: currentText,
  values: ({ tenantId, botId, platform, platformChatId }: BotChat) => [
    tenantId,
    botId,
    chatKeyOf(platform, platformChatId),
  ],
  result: ([row], { platform, platformChatId }) =>
    row ? platformChatIdOf(platform, row.chatKey) : platformChatId,
});

/** Returns `false` when a move of either of the two chats is already known. */
export const insertMove = preparedStatement({
  name: 'webhooks.chat_moves.insert',
  text: `insert into webhooks.chat_moves (tenant_id, bot_id, from_chat_id, to_chat_id) values ($1, $2, $3, $4)
         on conflict do nothing returning 1`,
  values: (move: ChatMove) => {
    const { tenantId, botId, platform, fromChatId, toChatId } = move;
    return [tenantId, botId, chatKeyOf(platform, fromChatId), chatKeyOf(platform, toChatId)];
  },
  result: (rows) => rows.length > 0,
});

const moving = columns({ integrationId: chats.integrationId, isBusy: boolean('lease_until is not null') });
const lockText = typedSql`select ${moving} from webhooks.chats
  where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 for update`;

/** Locks a chat's row, if it has one. Returns whether a worker is sending there. */
export const lockForMove = preparedStatement({
  name: 'webhooks.chats.lock_for_move',
  text: lockText,
  values: (move: ChatMove) => [move.tenantId, move.botId, chatKeyOf(move.platform, move.fromChatId)],
  result: ([row]) => row,
});

/**
 * Moves queued parts to the new chat, in their order, where they are due after `waitMs`. A part whose send has begun
 * stays: the platform tells its sender about the new chat.
 */
export async function moveQueuedParts(
  tx: TenantTx,
  move: ChatMove & { integrationId: string; waitMs: number },
): Promise<void> {
  const { tenantId, botId, integrationId, platform, waitMs } = move;
  const fromKey = chatKeyOf(platform, move.fromChatId);
  const toKey = chatKeyOf(platform, move.toChatId);
  const moved = await tx.query({
    name: 'webhooks.parts.move',
    text: `update webhooks.parts set platform_chat_id = $4
           where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and state = 'queued' returning 1`,
    values: [tenantId, botId, fromKey, toKey],
  });
  if (moved.length === 0) return;
  await tx.query({
    name: 'webhooks.chats.ready_after_move',
    text: `insert into webhooks.chats as c (tenant_id, bot_id, platform_chat_id, integration_id, platform, ready_at)
           values ($tenantId, $botId, $toKey, $integrationId, $platform, now() + make_interval(secs => $waitMs::float8 / 1000))
           on conflict (tenant_id, bot_id, platform_chat_id) do update set ready_at = coalesce(c.ready_at, excluded.ready_at)`,
    values: { tenantId, botId, toKey, integrationId, platform, waitMs },
  });
}
