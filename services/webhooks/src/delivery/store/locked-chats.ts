import { chatKeyOf, platformsThat } from '@botyard/contracts/http/platform';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, like, moment, number } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, replies } from '../../store/schema.ts';
import { type BotPace, type ClaimedChat, held, isHeld, isIdle } from './chats.ts';
import type { NewReply } from './replies.ts';
import { newFence } from './sender-processes.ts';

const alone = platformsThat('namesChatsAlone').map((name) => `'${name}'`);
/**
 * The key of a bot's pace: each platform has its own. For the platforms that were there before others it is the bot,
 * otherwise the integration.
 */
const paceKeyOf = (chat: string) =>
  `case when ${chat}.platform in (${alone}) then ${chat}.bot_id else ${chat}.integration_id end`;

const aheadMs = (until: string) =>
  number(`greatest(0, coalesce(extract(epoch from ${until} - now()), 0) * 1000)`);
const c = alias(chats, 'c');
/** A chat's pace, and that of its bot. */
const pace = {
  /** How far the chat's pace is ahead of the current time. */
  aheadMs: aheadMs('c.paced_until'),
  /** The chat has a booked slot in its bot's pace. */
  isBooked: boolean('coalesce(c.is_booked, false)'),
  ofTenant: like(chats.tenantId, 'c.tenant_id'),
  paceKey: like(chats.botId, 'c.pace_key'),
  botAheadMs: aheadMs('bot.paced_until'),
  botBookedMs: aheadMs('bot.booked_until'),
};
type PaceRow = Record<'ofTenant' | 'paceKey', string> & Record<'botAheadMs' | 'botBookedMs', number>;
type WithBot<Row extends PaceRow> = Omit<Row, keyof PaceRow> & { bot: BotPace };

/** The rows with the paces of their bots, which chats of the same bot share. */
function withBots<Row extends PaceRow>(rows: readonly Row[]): WithBot<Row>[] {
  const bots = new Map<string, BotPace>();
  return rows.map(({ ofTenant, paceKey, botAheadMs, botBookedMs, ...chat }) => {
    const times = { aheadMs: botAheadMs, bookedMs: botBookedMs, addedMs: 0, hasBooked: false };
    const bot = bots.get(paceKey) ?? { ofTenant, paceKey, ...times };
    bots.set(paceKey, bot);
    return { ...chat, bot };
  });
}

/** The paces of the bots of the chats `c`. All chats are locked before a bot is, and bots always in the same order. */
const botsOfChats = `bot as materialized (
    select p.*
    from (select distinct tenant_id, pace_key from c) key
    join webhooks.bot_paces p on p.tenant_id = key.tenant_id and p.bot_id = key.pace_key
    order by p.tenant_id, p.bot_id
    for update of p
  )`;
const botOfChat = 'left join bot on bot.tenant_id = c.tenant_id and bot.bot_id = c.pace_key';

const locked = columns({ fence: c.fence, ...pace });
export type LockedChat = WithBot<RowOf<typeof locked>>;

const lockText = typedSql`
  with c as materialized (
    select c.tenant_id, c.fence, c.paced_until, c.is_booked, ${paceKeyOf('c')} as pace_key
    from ${held}
    join webhooks.chats c on ${isHeld}
    order by c.tenant_id, c.bot_id, c.platform_chat_id
    for update of c
  ), ${botsOfChats}
  select ${locked}
  from c
  ${botOfChat}`;

/** Locks the chats that are still held with the paces of their bots. Returns them by their fences. */
export const lockPacedChats = preparedStatement({
  name: 'webhooks.chats.lock_paced',
  text: lockText,
  values: (claimed: readonly ClaimedChat[]) => held.values(claimed),
  result: (rows) => new Map(withBots(rows).map((row) => [row.fence, row])),
});

const replyChat = columns({
  conversationId: replies.conversationId,
  /** The current chat, because a group may have become a supergroup since the question. */
  chatKey: chats.chatKey,
  blockedAt: c.blockedAt,
  blockedReason: c.blockedReason,
  isIdle: boolean(isIdle),
  /** For a claim of the chat. */
  fence: like(chats.fence, newFence),
  now: moment('now()'),
  ...pace,
});
/** The destination of a conversation's replies. */
export type ReplyChat = WithBot<RowOf<typeof replyChat>>;

const { tenantId, botId, chatKey, integrationId, platform } = getTableColumns(chats);
const addressed = unnest('reply', {
  tenantId,
  conversationId: replies.conversationId,
  botId,
  chatKey,
  integrationId,
  platform,
});
const lockForRepliesText = typedSql`
  with addressed as materialized (
    select distinct reply.tenant_id,
      conversation_id,
      reply.bot_id,
      coalesce(m.to_chat_id, platform_chat_id) as platform_chat_id,
      ${paceKeyOf('reply')} as pace_key
    from ${addressed}
    left join webhooks.chat_moves m on m.tenant_id = reply.tenant_id
      and m.bot_id = reply.bot_id
      and m.from_chat_id = platform_chat_id
    order by tenant_id, bot_id, platform_chat_id
  ), c as materialized (
    select *
    from addressed
    left join lateral (
      select blocked_at, blocked_reason, ready_at, lease_until, paced_until, is_booked
      from webhooks.chats
      where tenant_id = addressed.tenant_id
        and bot_id = addressed.bot_id
        and platform_chat_id = addressed.platform_chat_id
      for update
    ) chat on true
  ), ${botsOfChats}
  select ${replyChat}
  from c
  ${botOfChat}`;

/**
 * By conversation. The chats are locked for this transaction before their parts, as the sender does it, with the paces
 * of their bots.
 */
export const lockChatsOf = preparedStatement({
  name: 'webhooks.chats.lock_for_replies',
  text: lockForRepliesText,
  values: (answered: readonly NewReply[]) =>
    addressed.values(
      answered.map((reply) => ({ ...reply, chatKey: chatKeyOf(reply.platform, reply.place.platformChatId) })),
    ),
  result: (rows) => new Map(withBots(rows).map((row) => [row.conversationId, row])),
});
