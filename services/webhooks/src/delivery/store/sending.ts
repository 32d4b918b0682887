import type { PlatformName } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean, count, like, notNull, number, orNull, rowByKey } from '@botyard/shared/db/expressions';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { type Allotment, allotmentValues, fairQueue, isQueueDue } from '@botyard/shared/work/fair-scheduler';
import { chats, parts, replies } from '../../store/schema.ts';
import { type Claimer, claimerValues, isFreeToClaim, newFence } from './sender-processes.ts';

const c = alias(chats, 'c');
const claimed = columns(pick(c, 'tenantId', 'botId', 'platformChatId', 'integrationId', 'platform', 'fence'));
/** A chat that this worker holds. Every claim has its own `fence`: writes with another fence are rejected. */
export type ClaimedChat = RowOf<typeof claimed>;

/** The key of a chat among all chats that a process holds. */
export const chatKey = ({ botId, platformChatId }: Pick<ClaimedChat, 'botId' | 'platformChatId'>): string =>
  `${botId}/${platformChatId}`;

/** How long a reply is worth sending after the question, unless its bot has a setting. */
export const worthMinutes = 60;

const p = alias(parts, 'p');
const r = alias(replies, 'r');
const waitingPart = columns({
  ...pick(p, 'partId', 'replyId', 'threadId'),
  /** Also works for a part that a process of the previous release has queued. */
  payload: notNull(
    like(p.payload, "coalesce(p.payload, jsonb_build_object('html', p.html, 'text', p.plain))"),
  ),
  attempts: p.attempts,
  /** The number of earlier sends. */
  sends: p.sends,
  /** Sends that may have reached the platform. */
  openSends: p.openSends,
  /** An earlier send was begun, and its outcome was never saved. */
  wasBegun: boolean("p.state = 'sending'"),
  /** The time in ms for which it is still worth sending: at least a minute from the reply's arrival. */
  worthMs: number(`coalesce(extract(epoch from greatest(
    coalesce(r.answer_until, coalesce(r.asked_at, r.created_at) + interval '${worthMinutes} minutes'),
    r.created_at + interval '1 minute') - now()) * 1000, 0) + p.waited_ms`),
  /** The time in ms for which the platform has asked it to wait. That doesn't count against what it is worth. */
  waitedMs: p.waitedMs,
  /** The place of its reply, with what only the platform's adapter needs. */
  place: orNull(like(r.place, 'r.place')),
  /**
   * Those of its reply, if that has no other part and no send is uncertain: then the part's outcome is the reply's
   * outcome.
   */
  conversationId: orNull(
    like(
      r.conversationId,
      `case when p.state = 'queued' and not p.is_uncertain and not exists (select from webhooks.parts other
        where other.reply_id = p.reply_id and other.part_id <> p.part_id) then r.conversation_id end`,
    ),
  ),
  /** The trace in which its reply was created. */
  traceparent: r.traceparent,
});
export type WaitingPart = RowOf<typeof waitingPart>;

/** The lease of a chat. After it ends, no other process takes the chat over while the owner is alive. */
export const leaseSeconds = 8;

/** True for the chats of any platform. The claim decides whether an owner is dead. */
export const isChatDue = isQueueDue('webhooks.chats');

/** The chats of each platform are a separate queue in the same table. */
const queueOf = (platform: PlatformName) =>
  fairQueue({
    table: 'webhooks.chats',
    key: 'tenant_id, bot_id, platform_chat_id',
    isFree: isFreeToClaim("q.bot_id || '/' || q.platform_chat_id"),
    isOfQueue: `q.platform = '${platform}'`,
  });

const claimOf = (due: string) => typedSql`${due} update webhooks.chats c
  set lease_until = now() + make_interval(secs => ${leaseSeconds}), owner = $processId, fence = ${newFence}
  from due where c.tenant_id = due.tenant_id and c.bot_id = due.bot_id and c.platform_chat_id = due.platform_chat_id
  returning ${claimed}`;

const claimTexts = new Map(
  platformNames.map((platform) => {
    const { fair, lone } = queueOf(platform);
    return [platform, { fair: claimOf(fair), lone: claimOf(lone) }] as const;
  }),
);

/**
 * Claims ready chats: fairly among tenants, and for each tenant those that have waited longest. The commit needn't be
 * durable: a crash of the database ends every claim.
 */
export async function claimChats(
  tx: PlatformTx,
  platform: PlatformName,
  allotment: Allotment,
  claimer: Claimer,
): Promise<ClaimedChat[]> {
  const values = { ...allotmentValues(allotment), ...claimerValues(claimer) };
  const text = claimTexts.get(platform)!.fair;
  return await tx.query({ name: `webhooks.chats.claim.${platform}`, text, values });
}

/** Claims more chats if only one tenant has ready ones, and none otherwise. */
export async function claimChatsOfLone(
  tx: PlatformTx,
  platform: PlatformName,
  limit: number,
  claimer: Claimer,
): Promise<ClaimedChat[]> {
  const values = { limit, ...claimerValues(claimer) };
  const text = claimTexts.get(platform)!.lone;
  return await tx.query({ name: `webhooks.chats.claim_lone.${platform}`, text, values });
}

const fenced = ({ tenantId, botId, platformChatId, fence }: ClaimedChat) => ({
  tenantId,
  botId,
  platformChatId,
  fence,
});
const isFenced =
  'tenant_id = $tenantId and bot_id = $botId and platform_chat_id = $platformChatId and fence = $fence';

const locked = columns({
  /** How far its pace is ahead of the current time. */
  aheadMs: number('greatest(0, extract(epoch from (coalesce(c.paced_until, now()) - now())) * 1000)'),
  /** The chat has a reserved slot in its bot's pace. */
  isBooked: c.isBooked,
});
export type LockedChat = RowOf<typeof locked>;

const lockText = typedSql`update webhooks.chats c set lease_until = now() + make_interval(secs => ${leaseSeconds})
  where ${isFenced} returning ${locked}`;

/** Renews the lease and locks the chat for this transaction. Returns `undefined` when it was lost to another worker. */
export async function lockChat(tx: TenantTx, chat: ClaimedChat): Promise<LockedChat | undefined> {
  return await tx.first({ name: 'webhooks.chats.lock', text: lockText, values: fenced(chat) });
}

const botPace = columns({
  aheadMs: number('greatest(0, extract(epoch from (paced_until - now())) * 1000)'),
  bookedMs: number('greatest(0, extract(epoch from (coalesce(booked_until, now()) - now())) * 1000)'),
});
const botPaceText = typedSql`select ${botPace} from webhooks.bot_paces
  where tenant_id = $1 and bot_id = $2 for update`;

/**
 * Locks the bot's pace. Returns how far it is ahead of the current time, and until when its slots are reserved, in ms
 * from now.
 */
export async function lockBotPace(
  tx: TenantTx,
  tenantId: string,
  botId: string,
): Promise<RowOf<typeof botPace>> {
  const [row] = await tx.query({
    name: 'webhooks.bot_paces.get',
    text: botPaceText,
    values: [tenantId, botId],
  });
  return row ?? { aheadMs: 0, bookedMs: 0 };
}

/** Reserves the bot's slots until `untilMs` from now. */
export async function bookBotPace(tx: TenantTx, chat: ClaimedChat, untilMs: number): Promise<void> {
  await tx.query({
    name: 'webhooks.bot_paces.book',
    text: `update webhooks.bot_paces set booked_until = now() + make_interval(secs => $3::float8 / 1000)
           where tenant_id = $1 and bot_id = $2`,
    values: [chat.tenantId, chat.botId, untilMs],
  });
}

/** Counts one message against the pace of the chat and of the bot. */
export async function advancePaces(
  tx: TenantTx,
  chat: ClaimedChat,
  intervalMs: { chat: number; bot: number },
): Promise<void> {
  const ofChat = tx.query({
    name: 'webhooks.chats.pace',
    text: `update webhooks.chats set is_booked = false,
             paced_until = greatest(coalesce(paced_until, now()), now()) + make_interval(secs => $intervalMs::float8 / 1000)
           where ${isFenced}`,
    values: { ...fenced(chat), intervalMs: intervalMs.chat },
  });
  const ofBot = tx.query({
    name: 'webhooks.bot_paces.advance',
    text: `insert into webhooks.bot_paces as p (tenant_id, bot_id, paced_until)
           values ($1, $2, now() + make_interval(secs => $3::float8 / 1000))
           on conflict (tenant_id, bot_id) do update
           set paced_until = greatest(p.paced_until, now()) + make_interval(secs => $3::float8 / 1000)`,
    values: [chat.tenantId, chat.botId, intervalMs.bot],
  });
  await Promise.all([ofChat, ofBot]);
}

const replyOfPart = rowByKey('webhooks.replies', 'r', { tenant_id: 'p.tenant_id', reply_id: 'p.reply_id' });
const firstPartText = typedSql`select ${waitingPart} from webhooks.parts p left join ${replyOfPart} on true
  where p.tenant_id = $1 and p.bot_id = $2 and p.platform_chat_id = $3 and p.state in ('queued', 'sending')
  order by p.position limit 1`;

export async function getFirstWaitingPart(tx: TenantTx, chat: ClaimedChat): Promise<WaitingPart | undefined> {
  return await tx.first({
    name: 'webhooks.parts.first',
    text: firstPartText,
    values: [chat.tenantId, chat.botId, chat.platformChatId],
  });
}

/**
 * Counts a send before it is made: after a crash it is uncertain whether the part arrived (P9). `wasSent` means that an
 * earlier send was made and its outcome is unknown.
 */
export async function beginPart(
  tx: TenantTx,
  tenantId: string,
  part: WaitingPart,
  { wasSent }: { wasSent: boolean },
): Promise<void> {
  await tx.query({
    name: 'webhooks.parts.begin',
    text: `update webhooks.parts set state = 'sending', is_uncertain = is_uncertain or $3, sends = $4, open_sends = $5
           where tenant_id = $1 and part_id = $2`,
    values: [tenantId, part.partId, wasSent, part.sends + 1, openSendsOf(part, { wasSent }) + 1],
  });
}

/** The number of sends of a part that may have arrived. A send that was begun but not made doesn't count. */
export const openSendsOf = (part: WaitingPart, { wasSent }: { wasSent: boolean }): number =>
  part.wasBegun ? Math.max(1, part.openSends) - (wasSent ? 0 : 1) : part.openSends;

/**
 * Releases the chat: ready after `waitMs`, or not until something new is queued. `isBooked` means that it then has a
 * reserved slot in its bot's pace.
 */
export async function releaseChat(
  tx: TenantTx,
  chat: ClaimedChat,
  { waitMs, isBooked = false }: { waitMs: number | null; isBooked?: boolean },
): Promise<void> {
  await tx.query({
    name: 'webhooks.chats.release',
    text: `update webhooks.chats set lease_until = null, is_booked = $isBooked,
             ready_at = case when $waitMs::float8 is null then null else now() + make_interval(secs => $waitMs::float8 / 1000) end
           where ${isFenced}`,
    values: { ...fenced(chat), waitMs, isBooked },
  });
}

const depthText = typedSql`select ${columns({ waiting: count() })} from
  (select from webhooks.parts where state in ('queued', 'sending') limit 10000) p`;

/** Parts of replies that aren't sent yet; 10,000 stands for more. */
export async function countWaitingParts(tx: PlatformTx): Promise<number> {
  const [row] = await tx.query({ name: 'webhooks.parts.depth', text: depthText, values: [] });
  return row?.waiting ?? 0;
}
