import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';
import { catchUp } from '../../conversations/store/edits.ts';
import { savePeople } from '../../conversations/store/people.ts';
import { insertQuotes } from '../../conversations/store/quotes.ts';
import { touchGroups } from '../../routing/store/groups.ts';

/** A message with the trace that it came in with. */
export type ArrivedMessage = InboundMessage & { traceparent?: string | undefined };

/** Joining can put an answer off for at most this many windows. */
const maxJoinWindows = 5;
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
  arrived: readonly ArrivedMessage[],
): Promise<Set<number>> {
  const [, waitsMs] = await Promise.all([
    insertMessages(tx, arrived),
    touchConversations(tx, perConversation(arrived)),
    savePeople(tx, arrived),
    insertQuotes(tx, arrived),
    // After the conversations are locked, so that early edits can't be missed.
    catchUp(tx, arrived),
    touchGroups(tx, arrived),
  ]);
  return waitsMs;
}

/** A message that was given up because it never came takes its place when it comes. */
async function insertMessages(tx: TenantTx, arrived: readonly ArrivedMessage[]): Promise<void> {
  const column = <Value>(read: (message: ArrivedMessage) => Value) => arrived.map(read);
  await tx.query({
    name: 'agents.messages.enqueue',
    text: `insert into agents.messages as m (tenant_id, message_id, conversation_id, direction, seq, text, content, command,
             sender, status, received_at, platform_chat_id, platform_message_id, album_id, attachment, delivery_id,
             is_addressed, mail, traceparent)
           select t, agents.new_id(), c, 'in', s, x, k, nullif(cmd, 'null')::jsonb, who::jsonb, 'queued', at, pc, pm, album,
             nullif(att, 'null')::jsonb, delivery, addressed, nullif(mail, 'null')::jsonb, trace
           from (select distinct on (c, s) * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
             $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[], $13::uuid[], $14::boolean[],
             $15::text[], $16::text[])
             as u (t, c, s, x, k, cmd, who, at, pc, pm, album, att, delivery, addressed, mail, trace)
             order by c, s) once
           order by c, s
           on conflict (conversation_id, direction, seq) do update set
             text = excluded.text, content = excluded.content, command = excluded.command, sender = excluded.sender,
             status = 'queued', last_error = null, dead_at = null, tries = null, received_at = excluded.received_at,
             platform_chat_id = excluded.platform_chat_id, platform_message_id = excluded.platform_message_id,
             album_id = excluded.album_id, attachment = excluded.attachment, delivery_id = excluded.delivery_id,
             is_addressed = excluded.is_addressed, mail = excluded.mail, traceparent = excluded.traceparent
           where m.status = 'dead' and m.delivery_id is null`,
    values: [
      column(({ tenantId }) => tenantId),
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
      column(({ mail = null }) => JSON.stringify(mail)),
      column(({ traceparent = null }) => traceparent),
    ],
  });
}

interface Touch {
  newest: InboundMessage;
  /** A message arrived that isn't joined with later ones. */
  isReadyAtOnce: boolean;
  isAlbum: boolean;
  /** Position of a command to stop. */
  stoppedSeq: number | null;
}

/** Commands, and messages of platforms where each is complete, are never joined with later ones. */
const isWhole = ({ command, platform }: InboundMessage): boolean =>
  command !== undefined || !platformCapabilities[platform].joinsMessages;

/** Each conversation's changes by its arrived messages, in any order; sorted, so that no two writers deadlock. */
function perConversation(arrived: readonly InboundMessage[]): Touch[] {
  const touches = new Map<string, Touch>();
  for (const message of arrived) {
    const known = touches.get(message.conversationId);
    const stoppedSeq = message.command?.name === 'stop' ? message.seq : 0;
    touches.set(message.conversationId, {
      newest: known && known.newest.seq > message.seq ? known.newest : message,
      isReadyAtOnce: known?.isReadyAtOnce === true || isWhole(message),
      isAlbum: known?.isAlbum === true || message.albumId !== undefined,
      stoppedSeq: Math.max(known?.stoppedSeq ?? 0, stoppedSeq) || null,
    });
  }
  return [...touches.values()].sort((left, right) =>
    left.newest.conversationId < right.newest.conversationId ? -1 : 1,
  );
}

const readyIn = columns({
  waitMs: number('greatest(0, ceil(extract(epoch from ready_at - now()) * 1000))'),
});
const touchText = typedSql`insert into agents.conversations as c (tenant_id, conversation_id, chat_id, bot_id, integration_id,
    platform, place, last_seq, ready_at, waiting_since, last_message_at, stopped_seq)
  select t, cid, chat, b, i, platform, p::jsonb, s, now() + wait, now(), now(), stopped
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bigint[], $8::boolean[],
    $9::integer[], $10::bigint[], $11::text[]) as u (t, cid, chat, b, i, p, s, at_once, least_ms, stopped, platform)
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
      coalesce(c.waiting_since, now()) + (excluded.ready_at - now()) * ${maxJoinWindows}))
  returning ${readyIn}`;

/** A new message doesn't cut short the pause before a turn that failed is tried again. */
async function touchConversations(tx: TenantTx, touches: readonly Touch[]): Promise<Set<number>> {
  const column = <Value>(read: (message: InboundMessage) => Value) =>
    touches.map(({ newest }) => read(newest));
  const rows = await tx.query({
    name: 'agents.conversations.touch',
    text: touchText,
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
      column(({ platform }) => platform),
    ],
  });
  return new Set(rows.map(({ waitMs }) => waitMs));
}
