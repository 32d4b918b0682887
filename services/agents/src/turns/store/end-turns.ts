import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, number } from '@botyard/shared/db/expressions';
import { namedRow, unnest, type ValuesOf } from '@botyard/shared/db/named-values';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { lastNotice } from '../../conversations/store/notice-positions.ts';
import { releaseSessions } from '../../store/releases-schema.ts';
import { conversations, messages, outbox, turns } from '../../store/schema.ts';

const { createdAt, ...recordColumns } = getTableColumns(turns);
const { messageIds, ...plainColumns } = recordColumns;
const recordNames = namedRow(plainColumns).columns;
const { fence, nextSeq, stickyAgentId, sessionAgents } = conversations;
const { messageId, refusal, status, tries, isForStaff, seq, text, choices, afterSeq } = messages;
const { releaseId, isCandidate, personId } = releaseSessions;

/** Everything that an end writes into columns. A kind of end has values for some of them. */
const endColumns = {
  ...recordColumns,
  /** The state of the messages; those of refused senders are `ignored`. */
  status,
  /** The position after the messages. */
  nextSeq,
  /** Why they aren't answered, or why a postponed turn failed. */
  reason: 'text',
  tries,
  isForStaff,
  /** The time until a postponed turn is tried again, and the time since its first attempt. */
  waitMs: 'float8',
  triedMs: 'float8',
  seq,
  text,
  /** The texts to choose from under it. */
  choices,
  afterSeq,
  stickyAgentId,
  resetsContext: 'boolean',
  waitsForStaff: 'boolean',
  /** Whether this is the first answer of the record's session. */
  beginsSession: 'boolean',
  /** The session's agents, if this answer changes them. */
  sessionAgents,
  /** The session as a part of the agent's release, if this is its first answer there. */
  releaseId,
  isCandidate,
  personId,
  /** Everything that the turn used, sealed. */
  recordingKeyId: 'uuid',
  sealedKey: 'text',
  sealedRecording: 'text',
} as const;
const turnRows = unnest('turn', {
  place: 'integer',
  ...endColumns,
  // `unnest` flattens lists, so a list within a row is passed as an array literal.
  messageIds: 'text',
  messageCount: 'integer',
  fence,
  turnSeq: 'bigint',
});
/** With their whole key: a join to `done` by the tenant could read all messages of the tenant. */
const messageRows = unnest('message', { ofTurn: 'integer', ofTenant: 'uuid', messageId, refusal });
const eventColumns = pick(outbox, 'id', 'subject', 'data', 'traceparent');
const eventRows = unnest('event', { ...eventColumns, byTurn: 'integer', ifSilenced: 'boolean' });
const eventNames = namedRow(eventColumns).columns;

/** A reply isn't sent once the person has stopped its turn (unless it answers a notice), or a person has the chat. */
const isSilenced = `(turn.reply_id is not null and (
        turn.next_seq > ${lastNotice} and coalesce(c.stopped_seq, 0) >= turn.next_seq
        or coalesce(c.muted_fence, 0) >= turn.fence))`;
const isReplied = `(turn.reply_id is not null and not ${isSilenced})`;
const isPostponed = 'turn.wait_ms is not null';
// A conversation of null fails the transaction, whose commit may be sent with this statement.
const ifAllWaited =
  'case when message_count = (select count(*) from ended where ended.place = replied.place) then conversation_id end';

const endText = typedSql`
  with done as (
    update agents.conversations c
    set lease_until = null,
      next_seq = greatest(c.next_seq, turn.next_seq),
      next_reply_seq = c.next_reply_seq + ${isReplied}::int,
      ready_at = case
        when ${isPostponed} then now() + make_interval(secs => turn.wait_ms / 1000)
        when c.waiting_since is not null then c.ready_at
        when turn.next_seq is not null and c.last_seq >= greatest(c.next_seq, turn.next_seq) then c.ready_at
        when (
          select true
          from agents.messages m
          where m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id
            and m.seq >= turn.next_seq and m.status = 'queued'
          -- The order keeps the planner from an index by which it would read all messages of the chat.
          order by m.seq
          limit 1
        ) then c.ready_at
      end,
      claims = case when ${isPostponed} then c.claims - (turn.reason is null)::int else 0 end,
      failures = case when ${isPostponed} then c.failures + (turn.reason is not null)::int else 0 end,
      last_error = case when ${isPostponed} then coalesce(turn.reason, c.last_error) end,
      tried_since = now() - make_interval(secs => turn.tried_ms / 1000),
      sticky_agent_id = case when ${isReplied} then coalesce(turn.sticky_agent_id, c.sticky_agent_id) else c.sticky_agent_id end,
      state = case when turn.waits_for_staff and ${isReplied} then 'waiting' else c.state end,
      session_id = case
        when turn.resets_context and ${isReplied} then null
        when turn.begins_session and ${isReplied} then turn.session_id
        else c.session_id
      end,
      session_agents = case when ${isReplied} then coalesce(turn.session_agents, c.session_agents) else c.session_agents end,
      context_from = case when turn.resets_context and ${isReplied} then now() else c.context_from end,
      summarized_until = case when turn.resets_context and ${isReplied} then null else c.summarized_until end
    from ${turnRows.ofFewRows}
    where c.tenant_id = turn.tenant_id
      and c.conversation_id = turn.conversation_id
      and c.fence = turn.fence
      and c.next_seq = turn.turn_seq
    returning turn.*, c.ready_at is not null as is_ready, ${isSilenced} as is_silenced
  ), replied as (
    select * from done where reply_id is not null and not is_silenced
  ), ended as (
    update agents.messages m
    set status = case when done.is_silenced or message.refusal is not null then 'ignored' else done.status end,
      refusal = message.refusal,
      agent_id = case when done.is_silenced then m.agent_id else coalesce(done.agent_id, m.agent_id) end,
      last_error = coalesce(case when done.is_silenced then 'its answer came too late' else done.reason end, m.last_error),
      tries = done.tries,
      dead_at = case when done.status = 'dead' then now() end,
      is_for_staff = m.is_for_staff or done.is_for_staff is true
    from done
    join ${messageRows} on message.of_turn = done.place
    where m.tenant_id = message.of_tenant and m.message_id = message.message_id and m.status = 'queued'
    returning done.place
  ), inserted as (
    insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, choices, content, agent_id,
      agent_version, status, received_at, after_seq)
    select tenant_id, reply_id, ${ifAllWaited}, 'out', seq, text, choices, 'text', agent_id, agent_version, 'sending', now(),
      after_seq
    from replied
  ), recorded as (
    insert into agents.turns (message_ids, ${recordNames})
    select message_ids::uuid[], ${recordNames}
    from replied
  ), recording_key as (
    insert into agents.recording_keys (tenant_id, key_id, sealed_key)
    select tenant_id, recording_key_id, sealed_key
    from replied
    where recording_key_id is not null
    on conflict do nothing
  ), used as (
    insert into agents.turn_recordings (tenant_id, turn_id, key_id, sealed_recording)
    select tenant_id, turn_id, recording_key_id, sealed_recording
    from replied
    where recording_key_id is not null
  ), compared as (
    insert into agents.release_sessions (tenant_id, release_id, session_id, conversation_id, is_candidate, person_id)
    select tenant_id, release_id, session_id, conversation_id, is_candidate, person_id
    from replied
    where release_id is not null
    on conflict do nothing
  ), announced as (
    insert into agents.outbox (${eventNames})
    select ${eventNames}
    from done
    join ${eventRows} on event.by_turn = done.place and event.if_silenced = done.is_silenced
  )
  select ${columns({
    place: number('place'),
    isReady: boolean('is_ready'),
    isSilenced: boolean('is_silenced'),
  })}
  from done`;

/** The record of one answer. */
export type NewTurn = Omit<typeof turns.$inferSelect, 'createdAt'>;

/** The rows that the end of a turn writes. */
export interface TurnEndRows {
  conversation: Pick<ClaimedConversation, 'tenantId' | 'botId' | 'conversationId' | 'fence' | 'nextSeq'>;
  row: Partial<ValuesOf<typeof endColumns>>;
  /** The messages that it ends; `refusal` says why a sender was refused. */
  messages: readonly Pick<SaidRow, 'messageId' | 'refusal'>[];
  events: readonly OutboxRow[];
  /** Written in place of `events` if a reply turns out to be unwanted. */
  eventsIfSilenced: readonly OutboxRow[];
}

/** Whether more messages wait in the conversation, and whether a reply was left out because it came too late. */
export type EndedTurn = Omit<RowOf<typeof endText>, 'place'>;

/**
 * Ends turns: writes their rows, and releases their conversations. This is the only way a turn ends.
 *
 * For a turn whose fence is stale nothing is written, and the result is `undefined`: another worker has claimed the
 * conversation, or this turn was ended before.
 * @throws if a message of a reply's turn no longer waits: then nothing is written for any of these turns.
 */
export async function endTurns(
  tx: TenantTx,
  ends: readonly TurnEndRows[],
): Promise<(EndedTurn | undefined)[]> {
  const rows = await tx.query({
    name: 'agents.conversations.end_turns',
    text: endText,
    values: {
      ...turnRows.values(ends.map(toTurnRow)),
      ...messageRows.values(ends.flatMap(toMessageRows)),
      ...eventRows.values(ends.flatMap(toEventRows)),
    },
  });
  const endedTurns = new Map(rows.map((row) => [row.place, row]));
  return ends.map((_end, place) => endedTurns.get(place));
}

const noValues = Object.fromEntries(Object.keys(endColumns).map((name) => [name, null])) as Record<
  keyof typeof endColumns,
  null
>;

const toTurnRow = ({ conversation, row, messages: ended }: TurnEndRows, place: number) => ({
  ...noValues,
  ...row,
  place,
  messageIds: row.messageIds && `{${row.messageIds.join(',')}}`,
  messageCount: ended.length,
  tenantId: conversation.tenantId,
  conversationId: conversation.conversationId,
  fence: conversation.fence,
  turnSeq: conversation.nextSeq,
});

const toMessageRows = ({ conversation: { tenantId }, messages: ended }: TurnEndRows, ofTurn: number) =>
  ended.map(({ messageId, refusal }) => ({ messageId, refusal, ofTurn, ofTenant: tenantId }));

const toEventRows = ({ events, eventsIfSilenced }: TurnEndRows, byTurn: number) => [
  ...events.map((event) => ({ ...event, byTurn, ifSilenced: false })),
  ...eventsIfSilenced.map((event) => ({ ...event, byTurn, ifSilenced: true })),
];
