import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, number } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { catchUp } from '../../conversations/store/edits.ts';
import { savePeople } from '../../conversations/store/people.ts';
import { insertQuotes } from '../../conversations/store/quotes.ts';
import { touchGroups } from '../../routing/store/groups.ts';
import { conversations, messages } from '../../store/schema.ts';
import { claimedColumns, leaseEnd, toClaimed } from './claims.ts';

/** A message with the trace context of its arrival. */
export type ArrivedMessage = InboundMessage & { traceparent?: string | undefined };

/** Joining delays an answer by at most this many windows. */
const maxJoinWindows = 5;
/** Applies until the bot is known to this service. */
const defaultJoinWindowMs = 1200;
/** People see an album as one message, so its parts are joined even if the bot joins no messages. */
export const albumWindowMs = 1000;

/** The outcome for messages that arrived. */
interface Enqueued {
  /** The times in ms after which unclaimed conversations become ready. */
  waitsMs: ReadonlySet<number>;
  /** Conversations that were claimed. */
  claimed: readonly ClaimedConversation[];
  /** Bots whose messages were ready immediately, except for messages that are never joined. */
  readyBotIds: ReadonlySet<string>;
}

/**
 * Puts arrived messages into the queues of their conversations, with their authors and quotes: one statement per table,
 * sent together.
 *
 * A conversation becomes ready when nothing was added for the bot's join window. It is ready immediately for commands,
 * and if joining is off. Conversations in `mayClaim` are claimed if they are ready immediately and free.
 */
export async function enqueueMessages(
  tx: TenantTx,
  arrived: readonly ArrivedMessage[],
  mayClaim: ReadonlySet<string> = new Set(),
): Promise<Enqueued> {
  const [, enqueued] = await Promise.all([
    insertMessages(tx, arrived),
    touchConversations(tx, perConversation(arrived), mayClaim),
    savePeople(tx, arrived),
    insertQuotes(tx, arrived),
    // Runs after the conversations are locked, so that early edits can't be missed.
    catchUp(tx, arrived),
    touchGroups(tx, arrived),
  ]);
  return enqueued;
}

const { tenantId, conversationId, seq, text, content, command, sender, receivedAt } =
  getTableColumns(messages);
const { platformChatId, platformMessageId, albumId, attachment, deliveryId } = getTableColumns(messages);
const { isAddressed, automaticReason, mail, traceparent } = getTableColumns(messages);
const added = unnest('added', {
  tenantId,
  conversationId,
  seq,
  text,
  content,
  command,
  sender,
  receivedAt,
  platformChatId,
  platformMessageId,
  albumId,
  attachment,
  deliveryId,
  isAddressed,
  automaticReason,
  mail,
  traceparent,
});

/** If a message that was given up as lost arrives after all, it takes the position of its dead letter. */
async function insertMessages(tx: TenantTx, arrived: readonly ArrivedMessage[]): Promise<void> {
  await tx.query({
    name: 'agents.messages.enqueue',
    text: `insert into agents.messages as m (${added.columns}, message_id, direction, status)
           select distinct on (conversation_id, seq) ${added.columns}, agents.new_id(), 'in', 'queued'
           from ${added}
           order by conversation_id, seq
           on conflict (conversation_id, direction, seq) do update set
             text = excluded.text, content = excluded.content, command = excluded.command, sender = excluded.sender,
             status = 'queued', last_error = null, dead_at = null, tries = null, received_at = excluded.received_at,
             platform_chat_id = excluded.platform_chat_id, platform_message_id = excluded.platform_message_id,
             album_id = excluded.album_id, attachment = excluded.attachment, delivery_id = excluded.delivery_id,
             is_addressed = excluded.is_addressed, automatic_reason = excluded.automatic_reason, mail = excluded.mail, traceparent = excluded.traceparent
           where m.status = 'dead' and m.delivery_id is null`,
    values: added.values(arrived.map(toRow)),
  });
}

const absent = {
  command: null,
  albumId: null,
  attachment: null,
  isAddressed: true,
  automaticReason: null,
  mail: null,
};

const toRow = (message: ArrivedMessage) => ({
  ...absent,
  traceparent: null,
  ...message,
  platformChatId: message.chat.platformChatId,
});

interface Touch {
  newest: InboundMessage;
  /** Whether a message arrived that isn't joined with later ones. */
  isReadyAtOnce: boolean;
  isAlbum: boolean;
  /** The position of a stop command. */
  stoppedSeq: number | null;
}

/**
 * Whether a message is never joined with later ones: commands, and messages of platforms where each message is
 * complete.
 */
export const isWhole = ({ command, platform }: InboundMessage): boolean =>
  command !== undefined || !platformCapabilities[platform].joinsMessages;

/** The changes to each conversation by its arrived messages, in any order. Sorted, so that writers can't deadlock. */
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

const touchedRow = columns({
  ...claimedColumns,
  waitMs: number('greatest(0, ceil(extract(epoch from c.ready_at - now()) * 1000))'),
  // A message sets `waiting_since`, unless its conversation is claimed together with it.
  isClaimed: boolean('c.waiting_since is null'),
});
const { chatId, botId, integrationId, platform, place, lastSeq, stoppedSeq } = getTableColumns(conversations);
const key = { tenantId: conversations.tenantId, conversationId: conversations.conversationId };
const touchedColumns = { ...key, chatId, botId, integrationId, platform, place, lastSeq, stoppedSeq };
const touched = unnest('touched', {
  ...touchedColumns,
  isReadyAtOnce: 'boolean',
  leastMs: 'integer',
  mayClaim: 'boolean',
});
const isClaimable = `excluded.lease_until is not null and c.failures = 0 and coalesce(c.lease_until < now(), true)`;
/** Messages arrive out of order after trouble with the bus. An older one describes the chat as it was before. */
const isNewest = 'excluded.last_seq >= c.last_seq';
const touchText = typedSql`insert into agents.conversations as c (tenant_id, conversation_id, chat_id, bot_id, integration_id,
    platform, place, last_seq, stopped_seq, ready_at, last_message_at, waiting_since, lease_until, fence, claims)
  select touched.tenant_id, conversation_id, chat_id, touched.bot_id, integration_id,
    platform, place, last_seq, stopped_seq, now() + wait, now(),
    case when is_claimed then null else now() end, case when is_claimed then ${leaseEnd} end, is_claimed::int, is_claimed::int
  from ${touched}
  left join agents.bots on bots.tenant_id = touched.tenant_id and bots.bot_id = touched.bot_id
  cross join lateral (select case when is_ready_at_once then interval '0'
    else make_interval(secs => greatest(least_ms, coalesce(bots.join_window_ms, ${defaultJoinWindowMs}))::float8 / 1000) end as wait) w
  cross join lateral (select may_claim and wait = interval '0' as is_claimed) n
  order by touched.tenant_id, conversation_id
  on conflict (tenant_id, conversation_id) do update set
    place = case when ${isNewest} then excluded.place else c.place end,
    integration_id = case when ${isNewest} then excluded.integration_id else c.integration_id end,
    last_seq = greatest(c.last_seq, excluded.last_seq), last_message_at = now(),
    stopped_seq = greatest(c.stopped_seq, excluded.stopped_seq),
    ready_at = greatest(case when c.failures > 0 then c.ready_at end, least(excluded.ready_at,
      coalesce(c.waiting_since, now()) + (excluded.ready_at - now()) * ${maxJoinWindows})),
    waiting_since = case when ${isClaimable} then null else coalesce(c.waiting_since, now()) end,
    lease_until = case when ${isClaimable} then excluded.lease_until else c.lease_until end,
    fence = c.fence + (${isClaimable})::int, claims = c.claims + (${isClaimable})::int
  returning ${touchedRow}`;

/** A new message doesn't shorten the pause between a failed turn and its next attempt. */
async function touchConversations(
  tx: TenantTx,
  touches: readonly Touch[],
  mayClaim: ReadonlySet<string>,
): Promise<Enqueued> {
  const rows = await tx.query({
    name: 'agents.conversations.touch',
    text: touchText,
    values: touched.values(touches.map((touch) => toConversation(touch, mayClaim))),
  });
  const isWholeOf = new Map(touches.map((touch) => [touch.newest.conversationId, touch.isReadyAtOnce]));
  // Timestamps are rounded to milliseconds, so one may be rounded up.
  const ready = rows.filter(({ waitMs, conversationId: id }) => waitMs <= 1 && !isWholeOf.get(id));
  return {
    waitsMs: new Set(rows.filter(({ isClaimed }) => !isClaimed).map(({ waitMs }) => waitMs)),
    claimed: toClaimed(rows.filter(({ isClaimed }) => isClaimed)),
    readyBotIds: new Set(ready.map(({ botId: id }) => id)),
  };
}

const toConversation = (
  { newest, isReadyAtOnce, isAlbum, stoppedSeq }: Touch,
  mayClaim: ReadonlySet<string>,
) => ({
  ...newest,
  chatId: uuidv7(),
  place: newest.chat,
  lastSeq: newest.seq,
  stoppedSeq,
  isReadyAtOnce,
  leastMs: isAlbum ? albumWindowMs : 0,
  mayClaim: mayClaim.has(newest.conversationId),
});
