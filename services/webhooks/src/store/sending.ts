import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { type Allotment, allotmentValues, fairQueue } from '@botyard/shared/work/fair-shares';

/** A chat that this worker holds. `fence` grows with every claim: a write that carries an old one is refused. */
export interface ClaimedChat {
  tenantId: string;
  botId: string;
  platformChatId: string;
  integrationId: string;
  fence: number;
}

export interface WaitingPart {
  partId: string;
  replyId: string;
  threadId: string | null;
  html: string;
  plain: string;
  attempts: number;
  /** An earlier send of it was begun and never settled. */
  wasBegun: boolean;
  /** The trace that its reply was made in. */
  traceparent: string | null;
}

/** Longer than one call to the platform may take, and short enough to go on within 10 s of a worker's death (P7). */
const leaseSeconds = 8;

interface ClaimedRow extends Record<string, unknown> {
  tenant_id: string;
  bot_id: string;
  platform_chat_id: string;
  integration_id: string;
  fence: string;
}

const { fair, lone } = fairQueue({ table: 'webhooks.chats', key: 'tenant_id, bot_id, platform_chat_id' });

const claimText = `update webhooks.chats c set lease_until = now() + make_interval(secs => ${leaseSeconds}), fence = c.fence + 1
  from due where c.tenant_id = due.tenant_id and c.bot_id = due.bot_id and c.platform_chat_id = due.platform_chat_id
  returning c.tenant_id, c.bot_id, c.platform_chat_id, c.integration_id, c.fence`;

/**
 * Takes chats that are ready: tenants in turn, of each those that wait longest. The commit needn't be durable: a crash
 * of the database ends every claim.
 */
export async function claimChats(tx: PlatformTx, allotment: Allotment): Promise<ClaimedChat[]> {
  const values = allotmentValues(allotment);
  const text = `${fair} ${claimText}`;
  return toClaimed(await tx.query<ClaimedRow>({ name: 'webhooks.chats.claim', text, values }));
}

/** Takes more chats of the only tenant that waits; nothing while several do. */
export async function claimChatsOfLone(tx: PlatformTx, limit: number): Promise<ClaimedChat[]> {
  const text = `${lone} ${claimText}`;
  return toClaimed(await tx.query<ClaimedRow>({ name: 'webhooks.chats.claim_lone', text, values: [limit] }));
}

const toClaimed = (rows: readonly ClaimedRow[]): ClaimedChat[] =>
  rows.map((row) => ({
    tenantId: row.tenant_id,
    botId: row.bot_id,
    platformChatId: row.platform_chat_id,
    integrationId: row.integration_id,
    fence: Number(row.fence),
  }));

const chatKey = ({ tenantId, botId, platformChatId, fence }: ClaimedChat) => [
  tenantId,
  botId,
  platformChatId,
  fence,
];

export interface LockedChat {
  /** How far ahead of now its pace is. */
  aheadMs: number;
  /** It has come with a place in its bot's line. */
  isBooked: boolean;
}

/** Renews the lease and locks the chat for this transaction; `undefined` when it was lost to another worker. */
export async function lockChat(tx: TenantTx, chat: ClaimedChat): Promise<LockedChat | undefined> {
  const [row] = await tx.query<{ ahead_ms: string; is_booked: boolean }>({
    name: 'webhooks.chats.lock',
    text: `update webhooks.chats c set lease_until = now() + make_interval(secs => ${leaseSeconds})
           where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and fence = $4
           returning greatest(0, extract(epoch from (coalesce(c.paced_until, now()) - now())) * 1000) as ahead_ms,
             c.is_booked`,
    values: chatKey(chat),
  });
  return row && { aheadMs: Number(row.ahead_ms), isBooked: row.is_booked };
}

/** Locks the bot's pace. Tells how far ahead of now it is, and until when its places are given away, in ms from now. */
export async function lockBotPace(
  tx: TenantTx,
  tenantId: string,
  botId: string,
): Promise<{ aheadMs: number; bookedMs: number }> {
  const [row] = await tx.query<{ ahead_ms: string; booked_ms: string }>({
    name: 'webhooks.bot_paces.get',
    text: `select greatest(0, extract(epoch from (paced_until - now())) * 1000) as ahead_ms,
             greatest(0, extract(epoch from (coalesce(booked_until, now()) - now())) * 1000) as booked_ms
           from webhooks.bot_paces where tenant_id = $1 and bot_id = $2 for update`,
    values: [tenantId, botId],
  });
  return { aheadMs: Number(row?.ahead_ms ?? 0), bookedMs: Number(row?.booked_ms ?? 0) };
}

/** Gives the bot's places away until so many ms from now. */
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
             paced_until = greatest(coalesce(paced_until, now()), now()) + make_interval(secs => $5::float8 / 1000)
           where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and fence = $4`,
    values: [...chatKey(chat), intervalMs.chat],
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

export async function getFirstWaitingPart(tx: TenantTx, chat: ClaimedChat): Promise<WaitingPart | undefined> {
  const [row] = await tx.query<{
    part_id: string;
    reply_id: string;
    thread_id: string | null;
    html: string;
    plain: string;
    attempts: number;
    state: string;
    traceparent: string | null;
  }>({
    name: 'webhooks.parts.first',
    text: `select part_id, reply_id, thread_id, html, plain, attempts, state,
             (select r.traceparent from webhooks.replies r
              where r.tenant_id = parts.tenant_id and r.reply_id = parts.reply_id) as traceparent
           from webhooks.parts
           where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and state in ('queued', 'sending')
           order by position limit 1`,
    values: [chat.tenantId, chat.botId, chat.platformChatId],
  });
  return row
    ? {
        partId: row.part_id,
        replyId: row.reply_id,
        threadId: row.thread_id,
        html: row.html,
        plain: row.plain,
        attempts: row.attempts,
        wasBegun: row.state === 'sending',
        traceparent: row.traceparent,
      }
    : undefined;
}

/** Notes that a send begins: after a crash it is uncertain whether the part arrived (P9). */
export async function beginPart(tx: TenantTx, tenantId: string, part: WaitingPart): Promise<void> {
  await tx.query({
    name: 'webhooks.parts.begin',
    text: `update webhooks.parts set state = 'sending', is_uncertain = is_uncertain or $3
           where tenant_id = $1 and part_id = $2`,
    values: [tenantId, part.partId, part.wasBegun],
  });
}

export interface PartOutcome {
  state: 'queued' | 'sent' | 'failed';
  platformMessageId?: string | undefined;
  lastError?: string | undefined;
  isUncertain?: boolean | undefined;
  /** The attempt counts towards the last one; waiting for the platform's pace does not. */
  isAttempt?: boolean | undefined;
}

/** Keeps what became of a part, when the chat is still held. */
export async function savePartOutcome(
  tx: TenantTx,
  chat: ClaimedChat,
  partId: string,
  outcome: PartOutcome,
): Promise<void> {
  await tx.query({
    name: 'webhooks.parts.settle',
    text: `update webhooks.parts set state = $6, platform_message_id = $7, last_error = $8, is_uncertain = is_uncertain or $9,
             attempts = attempts + $10
           where tenant_id = $1 and part_id = $5 and exists (select from webhooks.chats
             where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and fence = $4)`,
    values: [
      ...chatKey(chat),
      partId,
      outcome.state,
      outcome.platformMessageId ?? null,
      outcome.lastError ?? null,
      outcome.isUncertain ?? false,
      outcome.isAttempt ? 1 : 0,
    ],
  });
}

/**
 * Gives the chat back: ready after `waitMs`, or not at all until something new is queued. `isBooked` when it has a place
 * in its bot's line then.
 */
export async function releaseChat(
  tx: TenantTx,
  chat: ClaimedChat,
  { waitMs, isBooked = false }: { waitMs: number | null; isBooked?: boolean },
): Promise<void> {
  await tx.query({
    name: 'webhooks.chats.release',
    text: `update webhooks.chats set lease_until = null, is_booked = $6,
             ready_at = case when $5::float8 is null then null else now() + make_interval(secs => $5::float8 / 1000) end
           where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and fence = $4`,
    values: [...chatKey(chat), waitMs, isBooked],
  });
}
