import type { PlatformName } from '@botyard/contracts/http/platform';
import type { PlatformTx } from '@botyard/shared/db/database';
import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, count } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { chats } from '../../store/schema.ts';
import { isFreeToClaim, newFence } from './sender-processes.ts';

const c = alias(chats, 'c');
const claimedChat = columns(
  pick(alias(chats, 'q'), 'tenantId', 'botId', 'chatKey', 'integrationId', 'platform', 'fence'),
);
/** A chat that this process holds. Every claim has its own `fence`: writes with another fence are rejected. */
export type ClaimedChat = RowOf<typeof claimedChat>;

/** The key of a chat among all chats that a process holds. */
export const claimKey = ({ botId, chatKey }: Pick<ClaimedChat, 'botId' | 'chatKey'>): string =>
  `${botId}/${chatKey}`;

/** The lease of a chat. After it ends, no other process takes the chat over while the owner is alive. */
const leaseSeconds = 8;

/** The chats of each platform are a queue of their own. */
export const chatQueue = (platform: PlatformName): QueueTable<ClaimedChat> => ({
  table: 'webhooks.chats',
  key: ['tenantId', 'botId', 'chatKey'],
  columnNames: { chatKey: 'platform_chat_id' },
  columns: claimedChat,
  leaseSeconds,
  isFree: isFreeToClaim,
  isOfQueue: `q.platform = '${platform}'`,
  set: `owner = $processId::uuid, fence = ${newFence}`,
});

const leaseEnd = `now() + interval '${leaseSeconds} seconds'`;
const { tenantId, botId, chatKey, fence, integrationId, platform } = getTableColumns(chats);
const heldKey = { tenantId, botId, chatKey, fence };
export const held = unnest('held', heldKey);
export const isHeld = `c.tenant_id = held.tenant_id
  and c.bot_id = held.bot_id
  and c.platform_chat_id = held.platform_chat_id
  and c.fence = held.fence`;

/** Nothing waits in it and nobody sends there. */
export const isIdle = 'c.lease_until is null and c.ready_at is null';

const lockText = typedSql`
  select ${columns({ fence: c.fence })}
  from ${held}
  join webhooks.chats c on ${isHeld}
  order by c.tenant_id, c.bot_id, c.platform_chat_id
  for update of c`;

/** Locks the chats that are still held, always in the same order. Returns their fences. */
export const lockHeldChats = preparedStatement({
  name: 'webhooks.chats.lock_held',
  text: lockText,
  values: (claimed: readonly ClaimedChat[]) => held.values(claimed),
  result: (rows) => new Set(rows.map((row) => row.fence)),
});

const renewText = `
  update webhooks.chats c
  set lease_until = ${leaseEnd}
  from ${held}
  where ${isHeld}
  returning 1`;

/** Returns `false` when the chat was lost to another process. */
export const renewLease = preparedStatement({
  name: 'webhooks.chats.renew',
  text: renewText,
  values: (chat: ClaimedChat) => held.values([chat]),
  result: (rows) => rows.length > 0,
});

/** The pace of a bot on a platform, and the changes of one transaction. */
export interface BotPace {
  ofTenant: string;
  /** The bot or its integration. */
  paceKey: string;
  /** How far it is ahead of the current time. */
  aheadMs: number;
  /** Until when its slots are booked, from now. */
  bookedMs: number;
  /** By how much sends of this transaction advance it. */
  addedMs: number;
  /** This transaction has booked slots. */
  hasBooked: boolean;
}

/** The next state of a chat that this process holds, or claims with it. */
export interface NextOfChat extends ClaimedChat {
  /** Its changes are saved, too. */
  bot: BotPace;
  /** Its lease is renewed. Otherwise it is released. */
  isKept: boolean;
  /** When a released chat is ready again; `null` means not before something new is queued. */
  waitMs: number | null;
  /** It has a reserved slot in its bot's pace. */
  isBooked: boolean;
  /** The time by which a message advances its pace. */
  paceMs: number;
}

const next = unnest('next', {
  ...heldKey,
  integrationId,
  platform,
  isKept: 'boolean',
  waitMs: 'float8',
  isBooked: 'boolean',
  paceMs: 'float8',
});
const paced = unnest('paced', { ofTenant: 'uuid', paceKey: 'uuid', addedMs: 'float8', bookedMs: 'float8' });
const chatOrder = 'tenant_id, bot_id, platform_chat_id';
// A fence of null fails the transaction, whose commit is sent with this statement: then another process has the chat.
const saveText = `
  with paces as (
    insert into webhooks.bot_paces as p (tenant_id, bot_id, paced_until, booked_until)
    select of_tenant, pace_key, now() + make_interval(secs => added_ms / 1000),
      now() + make_interval(secs => booked_ms / 1000)
    from ${paced}
    order by of_tenant, pace_key
    on conflict (tenant_id, bot_id) do update set
      paced_until = greatest(p.paced_until, now()) + (excluded.paced_until - now()),
      booked_until = coalesce(excluded.booked_until, p.booked_until)
  )
  insert into webhooks.chats as c (${chatOrder}, integration_id, platform,
    owner, fence, is_booked, lease_until, ready_at, paced_until)
  select ${chatOrder}, integration_id, platform,
    $processId::uuid, fence, is_booked,
    case when is_kept then ${leaseEnd} end,
    case when is_kept then now() else now() + make_interval(secs => wait_ms / 1000) end,
    now() + make_interval(secs => pace_ms / 1000)
  from ${next}
  order by ${chatOrder}
  on conflict (${chatOrder}) do update set
    integration_id = excluded.integration_id,
    owner = excluded.owner,
    fence = case when c.fence = excluded.fence or ${isIdle} then excluded.fence end,
    is_booked = excluded.is_booked,
    lease_until = excluded.lease_until,
    ready_at = case
      when excluded.lease_until is null then excluded.ready_at
      else coalesce(c.ready_at, excluded.ready_at)
    end,
    paced_until = greatest(c.paced_until, now()) + (excluded.paced_until - now())`;

/** Saves the next states of chats, and the paces of their bots. @throws if a chat is neither held nor idle. */
export const saveChats = preparedStatement({
  name: 'webhooks.chats.save',
  text: saveText,
  values: (saved: readonly NextOfChat[], processId: string) => {
    const bots = [...new Set(saved.map(({ bot }) => bot))];
    const changed = bots.filter(({ addedMs, hasBooked }) => addedMs > 0 || hasBooked);
    const paces = changed.map((bot) => ({ ...bot, bookedMs: bot.hasBooked ? bot.bookedMs : null }));
    return { ...next.values(saved), ...paced.values(paces), processId };
  },
});

const queued = unnest('queued', { tenantId, botId, chatKey, integrationId, platform });
const queueText = `
  insert into webhooks.chats as c (${queued.columns}, ready_at)
  select ${queued.columns}, now()
  from ${queued}
  order by ${chatOrder}
  on conflict (${chatOrder}) do update set
    ready_at = coalesce(c.ready_at, now()),
    integration_id = excluded.integration_id`;

/** Makes chats ready for which something was queued, unless they have to wait. */
export const queueChats = preparedStatement({
  name: 'webhooks.chats.queue',
  text: queueText,
  values: (ready: readonly Omit<ClaimedChat, 'fence'>[]) => queued.values(ready),
});

const settled = unnest('held', { ...heldKey, waitMs: 'float8' });
// Each chat and its first waiting part are looked up by their keys: joined plainly, or with `exists`, a statement that
// was planned while the tables were small reads all chats of the tenant and all parts that were sent since the last
// vacuum.
const releaseText = typedSql`
  update webhooks.chats c
  set lease_until = null,
    is_booked = false,
    ready_at = case when chat.has_parts then now() + make_interval(secs => chat.wait_ms / 1000) end
  from (
    select
      held.wait_ms,
      (select c.ctid from webhooks.chats c where ${isHeld} limit 1) as row,
      (
        select true
        from webhooks.parts p
        where p.tenant_id = held.tenant_id
          and p.bot_id = held.bot_id
          and p.platform_chat_id = held.platform_chat_id
          and p.state in ('queued', 'sending')
        limit 1
      ) is true as has_parts
    from ${settled}
    offset 0
  ) chat
  where c.ctid = chat.row and (chat.wait_ms > 0 or not chat.has_parts)
  returning ${columns({ fence: c.fence, isWaiting: boolean('c.ready_at is not null') })}`;

/**
 * Releases the chats in which nothing is left to be sent, or that have to wait. Returns whether they wait, by their
 * fences. The caller has locked the chats.
 */
export const releaseChats = preparedStatement({
  name: 'webhooks.chats.release',
  text: releaseText,
  values: (released: readonly (ClaimedChat & { waitMs: number })[]) => settled.values(released),
  result: (rows) => new Map(rows.map(({ fence, isWaiting }) => [fence, isWaiting])),
});

const depthText = typedSql`select ${columns({ waiting: count() })} from
  (select from webhooks.parts where state in ('queued', 'sending') limit 10000) p`;

/** Parts of replies that aren't sent yet; 10,000 stands for more. */
export async function countWaitingParts(tx: PlatformTx): Promise<number> {
  const { waiting } = await tx.one({ name: 'webhooks.parts.depth', text: depthText, values: [] });
  return waiting;
}
