import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import type { ChatPlace, InboundMessage } from '@botyard/shared/events/webhooks';
import { v7 as uuidv7 } from 'uuid';

/** Joining can put an answer off for at most this many windows. */
const mostJoinWindows = 5;
/** Used until the bot is known here. */
const defaultJoinWindowMs = 1200;

/**
 * Puts arrived messages into their conversations' queues, in one statement for each table. A conversation becomes
 * ready when nothing was added for the bot's join window; at once for commands, and when joining is off. Returns in
 * how many milliseconds conversations become ready.
 */
export async function enqueueMessages(
  tx: TenantTx,
  arrived: readonly InboundMessage[],
): Promise<Set<number>> {
  const column = <Value>(read: (message: InboundMessage) => Value) => arrived.map(read);
  await tx.query({
    name: 'agents.messages.enqueue',
    text: `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, command,
             sender, status, received_at)
           select t, m, c, 'in', s, x, k, nullif(cmd, 'null')::jsonb, who::jsonb, 'queued', at
           from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
             $9::timestamptz[]) as u (t, m, c, s, x, k, cmd, who, at)
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
    ],
  });
  const newest = [...new Map(arrived.map((message) => [message.conversationId, message])).values()].sort(
    (left, right) => (left.conversationId < right.conversationId ? -1 : 1),
  );
  return await touchConversations(tx, newest);
}

async function touchConversations(tx: TenantTx, newest: readonly InboundMessage[]): Promise<Set<number>> {
  const column = <Value>(read: (message: InboundMessage) => Value) => newest.map(read);
  const rows = await tx.query<{ wait_ms: string }>({
    name: 'agents.conversations.touch',
    text: `insert into agents.conversations as c (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform,
             place, last_seq, ready_at, waiting_since, last_message_at)
           select t, cid, chat, b, i, 'messenger', p::jsonb, s, now() + wait, now(), now()
           from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bigint[], $8::boolean[])
             as u (t, cid, chat, b, i, p, s, at_once)
           left join agents.bots on bots.tenant_id = t and bots.bot_id = b
           cross join lateral (select case when at_once then interval '0'
             else make_interval(secs => coalesce(bots.join_window_ms, ${defaultJoinWindowMs})::float8 / 1000) end as wait) w
           order by t, cid
           on conflict (tenant_id, conversation_id) do update set
             place = excluded.place, integration_id = excluded.integration_id,
             last_seq = greatest(c.last_seq, excluded.last_seq), last_message_at = now(),
             waiting_since = coalesce(c.waiting_since, now()),
             ready_at = least(excluded.ready_at,
               coalesce(c.waiting_since, now()) + (excluded.ready_at - now()) * ${mostJoinWindows})
           returning greatest(0, ceil(extract(epoch from ready_at - now()) * 1000)) as wait_ms`,
    values: [
      column(({ tenantId }) => tenantId),
      column(({ conversationId }) => conversationId),
      column(() => uuidv7()),
      column(({ botId }) => botId),
      column(({ integrationId }) => integrationId),
      column(({ chat }) => JSON.stringify(chat)),
      column(({ seq }) => seq),
      column(({ command, content }) => command !== undefined || content !== 'text'),
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
  place: ChatPlace;
  nextSeq: number;
  lastSeq: number;
  fence: number;
  claims: number;
  failures: number;
  stickyAgentId: string | null;
  contextFrom: Date | null;
}

/** Renewed every third of it; short enough that a killed worker's conversations go on within 10 s (P7). */
export const leaseSeconds = 6;

interface ClaimedRow extends Record<string, unknown> {
  tenant_id: string;
  conversation_id: string;
  bot_id: string;
  integration_id: string;
  place: ChatPlace;
  next_seq: string;
  last_seq: string;
  fence: string;
  claims: number;
  failures: number;
  sticky_agent_id: string | null;
  context_from: Date | null;
}

/** Takes conversations that are ready, those that wait longest first. */
export async function claimConversations(tx: PlatformTx, limit: number): Promise<ClaimedConversation[]> {
  await tx.query({ name: 'relaxed', text: 'set local synchronous_commit = off', values: [] });
  const rows = await tx.query<ClaimedRow>({
    name: 'agents.conversations.claim',
    text: `with ready as (
             select tenant_id, conversation_id from agents.conversations
             where ready_at <= now() and (lease_until is null or lease_until < now())
             order by ready_at limit $1 for update skip locked)
           update agents.conversations c set lease_until = now() + make_interval(secs => ${leaseSeconds}),
             fence = c.fence + 1, claims = c.claims + 1
           from ready where c.tenant_id = ready.tenant_id and c.conversation_id = ready.conversation_id
           returning c.tenant_id, c.conversation_id, c.bot_id, c.integration_id, c.place, c.next_seq, c.last_seq, c.fence,
             c.claims, c.failures, c.sticky_agent_id, c.context_from`,
    values: [limit],
  });
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    conversationId: row.conversation_id,
    botId: row.bot_id,
    integrationId: row.integration_id,
    place: row.place,
    nextSeq: Number(row.next_seq),
    lastSeq: Number(row.last_seq),
    fence: Number(row.fence),
    claims: row.claims,
    failures: row.failures,
    stickyAgentId: row.sticky_agent_id,
    contextFrom: row.context_from,
  }));
}

type Held = Pick<ClaimedConversation, 'tenantId' | 'conversationId' | 'fence'>;
const heldKey = ({ tenantId, conversationId, fence }: Held) => [tenantId, conversationId, fence];

/** `false` when another worker took the conversation over. */
export async function renewLease(tx: PlatformTx, held: Held): Promise<boolean> {
  const rows = await tx.query({
    name: 'agents.conversations.renew',
    text: `update agents.conversations set lease_until = now() + make_interval(secs => ${leaseSeconds})
           where tenant_id = $1 and conversation_id = $2 and fence = $3 returning 1`,
    values: heldKey(held),
  });
  return rows.length > 0;
}

/**
 * Ends a turn: moves on to `nextSeq` and gives the conversation back, ready at once when more has arrived. Returns
 * the position of the reply, or `undefined` when the conversation was lost: nothing may be written then.
 */
export async function completeTurn(
  tx: TenantTx,
  held: Held,
  turn: { nextSeq: number; stickyAgentId: string | null; resetsContext: boolean; hasReply: boolean },
): Promise<number | undefined> {
  const [row] = await tx.query<{ reply_seq: string }>({
    name: 'agents.conversations.complete',
    text: `update agents.conversations c set next_seq = $4, lease_until = null, claims = 0, failures = 0, last_error = null,
             sticky_agent_id = coalesce($5, c.sticky_agent_id),
             context_from = case when $6 then now() else c.context_from end,
             next_reply_seq = c.next_reply_seq + case when $7 then 1 else 0 end,
             ready_at = case when c.last_seq >= $4 then coalesce(c.ready_at, now()) end,
             waiting_since = case when c.last_seq >= $4 then coalesce(c.waiting_since, now()) end
           where tenant_id = $1 and conversation_id = $2 and fence = $3
           returning c.next_reply_seq - 1 as reply_seq`,
    values: [...heldKey(held), turn.nextSeq, turn.stickyAgentId, turn.resetsContext, turn.hasReply],
  });
  return row ? Number(row.reply_seq) : undefined;
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
