import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import type { ChatPlace, InboundMessage } from '@botyard/shared/events/webhooks';
import { v7 as uuidv7 } from 'uuid';
import { catchUp } from './chats/edits.ts';
import { savePeople } from './people.ts';
import { insertQuotes } from './quotes.ts';
import { touchGroups } from './routing/groups.ts';

/** Joining can put an answer off for at most this many windows. */
const mostJoinWindows = 5;
/** Used until the bot is known here. */
const defaultJoinWindowMs = 1200;
/** An album is one message to those who send it, so it is joined where joining is off, too. */
export const albumWindowMs = 1000;

/**
 * Puts arrived messages into their conversations' queues, with who wrote and what they quoted: one statement for each
 * table, sent together. A conversation becomes ready when nothing was added for the bot's join window; at once for
 * commands, and when joining is off. Returns in how many milliseconds conversations become ready.
 */
export async function enqueueMessages(
  tx: TenantTx,
  arrived: readonly InboundMessage[],
): Promise<Set<number>> {
  const [, waitsMs] = await Promise.all([
    insertMessages(tx, arrived),
    touchConversations(tx, perConversation(arrived)),
    savePeople(tx, arrived),
    insertQuotes(tx, arrived),
    // After the conversations are locked: what came early can't be missed.
    catchUp(tx, arrived),
    touchGroups(tx, arrived),
  ]);
  return waitsMs;
}

async function insertMessages(tx: TenantTx, arrived: readonly InboundMessage[]): Promise<void> {
  const column = <Value>(read: (message: InboundMessage) => Value) => arrived.map(read);
  await tx.query({
    name: 'agents.messages.enqueue',
    text: `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, command,
             sender, status, received_at, platform_chat_id, platform_message_id, album_id, attachment, delivery_id,
             is_addressed)
           select t, m, c, 'in', s, x, k, nullif(cmd, 'null')::jsonb, who::jsonb, 'queued', at, pc, pm, album,
             nullif(att, 'null')::jsonb, delivery, addressed
           from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
             $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::text[], $14::uuid[], $15::boolean[])
             as u (t, m, c, s, x, k, cmd, who, at, pc, pm, album, att, delivery, addressed)
           order by c, s
           on conflict (conversation_id, direction, seq) do nothing`,
    values: [
      column(({ tenantId }) => tenantId),
      column(() => uuidv7()),
      column(({ conversationId }) => conversationId),
      column(({ seq }) => seq),
      column(({ text }) => text),
      column(({ content }) => content),
      column(({ command = null }) => JSON.stringify(command)),
      column(({ sender }) => JSON.stringify(sender)),
      column(({ receivedAt }) => receivedAt),
      column(({ chat }) => chat.platformChatId),
      column(({ platformMessageId }) => platformMessageId),
      column(({ albumId = null }) => albumId),
      column(({ attachment = null }) => JSON.stringify(attachment)),
      column(({ deliveryId }) => deliveryId),
      column(({ isAddressed = true }) => isAddressed),
    ],
  });
}

interface Touch {
  newest: InboundMessage;
  /** A command arrived: it isn't joined with what follows. */
  isReadyAtOnce: boolean;
  isAlbum: boolean;
  /** Position of a command to stop. */
  stoppedSeq: number | null;
}

/** What each conversation's row learns of its arrived messages, whatever their order; sorted, so that no two writers wait for each other. */
function perConversation(arrived: readonly InboundMessage[]): Touch[] {
  const touches = new Map<string, Touch>();
  for (const message of arrived) {
    const known = touches.get(message.conversationId);
    const stoppedSeq = message.command?.name === 'stop' ? message.seq : 0;
    touches.set(message.conversationId, {
      newest: known && known.newest.seq > message.seq ? known.newest : message,
      isReadyAtOnce: known?.isReadyAtOnce === true || message.command !== undefined,
      isAlbum: known?.isAlbum === true || message.albumId !== undefined,
      stoppedSeq: Math.max(known?.stoppedSeq ?? 0, stoppedSeq) || null,
    });
  }
  return [...touches.values()].sort((left, right) =>
    left.newest.conversationId < right.newest.conversationId ? -1 : 1,
  );
}

/** A new message doesn't cut short the pause before a turn that failed is tried again. */
async function touchConversations(tx: TenantTx, touches: readonly Touch[]): Promise<Set<number>> {
  const column = <Value>(read: (message: InboundMessage) => Value) =>
    touches.map(({ newest }) => read(newest));
  const rows = await tx.query<{ wait_ms: string }>({
    name: 'agents.conversations.touch',
    text: `insert into agents.conversations as c (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform,
             place, last_seq, ready_at, waiting_since, last_message_at, stopped_seq)
           select t, cid, chat, b, i, 'messenger', p::jsonb, s, now() + wait, now(), now(), stopped
           from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bigint[], $8::boolean[],
             $9::integer[], $10::bigint[]) as u (t, cid, chat, b, i, p, s, at_once, least_ms, stopped)
           left join agents.bots on bots.tenant_id = t and bots.bot_id = b
           cross join lateral (select case when at_once then interval '0'
             else make_interval(secs => greatest(least_ms, coalesce(bots.join_window_ms, ${defaultJoinWindowMs}))::float8 / 1000) end as wait) w
           order by t, cid
           on conflict (tenant_id, conversation_id) do update set
             place = excluded.place, integration_id = excluded.integration_id,
             last_seq = greatest(c.last_seq, excluded.last_seq), last_message_at = now(),
             stopped_seq = greatest(c.stopped_seq, excluded.stopped_seq),
             waiting_since = coalesce(c.waiting_since, now()),
             ready_at = greatest(case when c.failures > 0 then c.ready_at end, least(excluded.ready_at,
               coalesce(c.waiting_since, now()) + (excluded.ready_at - now()) * ${mostJoinWindows}))
           returning greatest(0, ceil(extract(epoch from ready_at - now()) * 1000)) as wait_ms`,
    values: [
      column(({ tenantId }) => tenantId),
      column(({ conversationId }) => conversationId),
      column(() => uuidv7()),
      column(({ botId }) => botId),
      column(({ integrationId }) => integrationId),
      column(({ chat }) => JSON.stringify(chat)),
      column(({ seq }) => seq),
      touches.map(({ isReadyAtOnce }) => isReadyAtOnce),
      touches.map(({ isAlbum }) => (isAlbum ? albumWindowMs : 0)),
      touches.map(({ stoppedSeq }) => stoppedSeq),
    ],
  });
  return new Set(rows.map((row) => Number(row.wait_ms)));
}

/** A conversation that this worker holds, as it was when it was claimed. */
export interface ClaimedConversation {
  tenantId: string;
  conversationId: string;
  botId: string;
  integrationId: string;
  platform: 'messenger' | 'email';
  place: ChatPlace;
  nextSeq: number;
  lastSeq: number;
  fence: number;
  claims: number;
  failures: number;
  stickyAgentId: string | null;
  contextFrom: Date | null;
  /** The last message that the conversation's summary tells of. */
  summarizedUntil: string | null;
}

/** Renewed every third of it; short enough that a killed worker's conversations go on within 10 s (P7). */
export const leaseSeconds = 6;

interface ClaimedRow extends Record<string, unknown> {
  tenant_id: string;
  conversation_id: string;
  bot_id: string;
  integration_id: string;
  platform: ClaimedConversation['platform'];
  place: ChatPlace;
  next_seq: string;
  last_seq: string;
  fence: string;
  claims: number;
  failures: number;
  sticky_agent_id: string | null;
  context_from: Date | null;
  summarized_until: string | null;
}

/**
 * Takes conversations that are ready, those that wait longest first. `waiting_since` begins anew: it is set again by
 * what arrives while the conversation is held. The commit needn't be durable: a claim that a crash of the database takes
 * back can be given out twice with the same fence, but `completeTurn` lets only one of the two end it.
 */
export async function claimConversations(tx: PlatformTx, limit: number): Promise<ClaimedConversation[]> {
  const rows = await tx.query<ClaimedRow>({
    name: 'agents.conversations.claim',
    text: `with ready as (
             select tenant_id, conversation_id from agents.conversations
             where ready_at <= now() and (lease_until is null or lease_until < now())
             order by ready_at limit $1 for update skip locked)
           update agents.conversations c set lease_until = now() + make_interval(secs => ${leaseSeconds}),
             fence = c.fence + 1, claims = c.claims + 1, waiting_since = null
           from ready where c.tenant_id = ready.tenant_id and c.conversation_id = ready.conversation_id
           returning c.tenant_id, c.conversation_id, c.bot_id, c.integration_id, c.platform, c.place, c.next_seq, c.last_seq,
             c.fence, c.claims, c.failures, c.sticky_agent_id, c.context_from, c.summarized_until`,
    values: [limit],
  });
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    conversationId: row.conversation_id,
    botId: row.bot_id,
    integrationId: row.integration_id,
    platform: row.platform,
    place: row.place,
    nextSeq: Number(row.next_seq),
    lastSeq: Number(row.last_seq),
    fence: Number(row.fence),
    claims: row.claims,
    failures: row.failures,
    stickyAgentId: row.sticky_agent_id,
    contextFrom: row.context_from,
    summarizedUntil: row.summarized_until,
  }));
}

type Held = Pick<ClaimedConversation, 'tenantId' | 'conversationId' | 'fence'>;
const heldKey = ({ tenantId, conversationId, fence }: Held) => [tenantId, conversationId, fence];

/** `false` when another worker took the conversation over, or it was given back: a late renewal would block it. */
export async function renewLease(tx: PlatformTx, held: Held): Promise<boolean> {
  const rows = await tx.query({
    name: 'agents.conversations.renew',
    text: `update agents.conversations set lease_until = now() + make_interval(secs => ${leaseSeconds})
           where tenant_id = $1 and conversation_id = $2 and fence = $3 and lease_until is not null
           returning 1`,
    values: heldKey(held),
  });
  return rows.length > 0;
}

/**
 * Ends a turn: moves on to `nextSeq` and gives the conversation back, ready when more has arrived or was waiting.
 * Returns the position of the reply, or `undefined` when the conversation was lost or somebody else ended this turn:
 * nothing may be written then. A turn with a reply does not end either once the person has asked to stop.
 */
export async function completeTurn(
  tx: TenantTx,
  held: Pick<ClaimedConversation, 'tenantId' | 'conversationId' | 'fence' | 'nextSeq'>,
  turn: { nextSeq: number; stickyAgentId: string | null; resetsContext: boolean; hasReply: boolean },
): Promise<number | undefined> {
  const [row] = await tx.query<{ reply_seq: string }>({
    name: 'agents.conversations.complete',
    text: `update agents.conversations c set next_seq = greatest(c.next_seq, $4), lease_until = null, claims = 0,
             failures = 0, last_error = null,
             sticky_agent_id = coalesce($5, c.sticky_agent_id),
             context_from = case when $6 then now() else c.context_from end,
             summarized_until = case when $6 then null else c.summarized_until end,
             next_reply_seq = c.next_reply_seq + case when $7 then 1 else 0 end,
             ready_at = case when c.waiting_since is not null or c.last_seq >= greatest(c.next_seq, $4)
               or exists (select from agents.messages m where m.tenant_id = c.tenant_id
                 and m.conversation_id = c.conversation_id and m.direction = 'in' and m.seq >= $4
                 and m.status = 'queued') then c.ready_at end
           where tenant_id = $1 and conversation_id = $2 and fence = $3 and next_seq = $8
             and not ($7 and coalesce(c.stopped_seq, 0) >= $4)
           returning c.next_reply_seq - 1 as reply_seq`,
    values: [
      ...heldKey(held),
      turn.nextSeq,
      turn.stickyAgentId,
      turn.resetsContext,
      turn.hasReply,
      held.nextSeq,
    ],
  });
  return row ? Number(row.reply_seq) : undefined;
}

/** Gives back a conversation in which nothing waits, unless something has arrived since it was claimed. */
export async function restConversation(tx: TenantTx, held: Held): Promise<void> {
  await tx.query({
    name: 'agents.conversations.rest',
    text: `update agents.conversations c set lease_until = null, claims = 0,
             ready_at = case when c.waiting_since is not null then c.ready_at end
           where tenant_id = $1 and conversation_id = $2 and fence = $3`,
    values: heldKey(held),
  });
}

/** Gives the conversation back unanswered: it is ready again after `waitMs`. A claim that was no try isn't counted. */
export async function releaseConversation(
  tx: TenantTx,
  held: Held,
  release: { waitMs: number; countsClaim: boolean; error?: string },
): Promise<void> {
  await tx.query({
    name: 'agents.conversations.release',
    text: `update agents.conversations c set lease_until = null, ready_at = now() + make_interval(secs => $4::float8 / 1000),
             claims = c.claims - case when $5 then 0 else 1 end,
             failures = c.failures + case when $6::text is null then 0 else 1 end, last_error = coalesce($6, c.last_error)
           where tenant_id = $1 and conversation_id = $2 and fence = $3`,
    values: [...heldKey(held), release.waitMs, release.countsClaim, release.error ?? null],
  });
}
