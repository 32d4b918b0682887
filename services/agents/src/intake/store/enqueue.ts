import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { namedRow, unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';
import { catchUp } from '../../conversations/store/catch-up.ts';
import { savePeople } from '../../conversations/store/people.ts';
import { insertQuotes } from '../../conversations/store/quotes.ts';
import { touchGroups } from '../../routing/store/groups.ts';
import { conversations, messages } from '../../store/schema.ts';

/** A message with the trace context of its arrival. */
type ArrivedMessage = InboundMessage & { traceparent?: string | undefined };

/** Joining delays an answer by at most this many windows. */
const maxJoinWindows = 5;
/** A session ends when no message arrived for so long. */
const sessionSilence = "interval '24 hours'";
/** Applies until the bot is known to this service. */
const defaultJoinWindowMs = 1200;
/** People see an album as one message, so its parts are joined even if the bot joins no messages. */
export const albumWindowMs = 1000;

/**
 * Puts arrived messages into the queues of their conversations, with their authors and quotes: one statement per table,
 * sent together. Messages that are stored already are left out.
 *
 * A conversation becomes ready when nothing was added for the bot's join window. It is ready immediately for commands,
 * and if joining is off. Returns the times in ms after which conversations are ready.
 */
export async function enqueueMessages(
  tx: TenantTx,
  arrived: readonly ArrivedMessage[],
): Promise<ReadonlySet<number>> {
  const [, waitsMs] = await Promise.all([
    insertMessages(tx, arrived),
    touchConversations(tx, arrived),
    savePeople(tx, arrived),
    insertQuotes(
      tx,
      arrived.filter(({ quote }) => quote),
    ),
    // Runs after the conversations are locked, so that early edits can't be missed.
    catchUp(tx, arrived),
    touchGroups(
      tx,
      arrived.filter(({ chat }) => chat.kind !== 'private'),
    ),
  ]);
  return waitsMs;
}

const arrivedColumns = {
  ...pick(messages, 'text', 'content', 'attachment', 'mail', 'command', 'sender', 'receivedAt'),
  ...pick(messages, 'platformChatId', 'platformMessageId', 'albumId', 'deliveryId', 'traceparent'),
  ...pick(messages, 'isAddressed', 'automaticReason'),
};
const added = unnest('added', { ...pick(messages, 'tenantId', 'conversationId', 'seq'), ...arrivedColumns });
const insertText = `
  insert into agents.messages as m (${added.columns}, message_id, direction, status)
  select distinct on (conversation_id, seq) ${added.columns}, agents.new_id(), 'in', 'queued'
  from ${added}
  order by conversation_id, seq
  on conflict (conversation_id, direction, seq) do update
  set ${namedRow(arrivedColumns).excluded},
    status = 'queued',
    last_error = null,
    dead_at = null,
    tries = null
  where m.status = 'dead' and m.delivery_id is null`;

/** If a message that was given up as lost arrives after all, it takes the position of its dead letter. */
const insertMessages = preparedStatement({
  name: 'agents.messages.enqueue',
  text: insertText,
  values: (arrived: readonly ArrivedMessage[]) =>
    added.values(
      arrived.map((message) => ({
        command: null,
        albumId: null,
        attachment: null,
        isAddressed: true,
        automaticReason: null,
        mail: null,
        traceparent: null,
        ...message,
        platformChatId: message.chat.platformChatId,
      })),
    ),
});

const chatColumns = {
  ...pick(conversations, 'chatId', 'integrationId', 'platform', 'place'),
  ...pick(conversations, 'lastSeq', 'stoppedSeq'),
};
const touched = unnest('touched', {
  ...pick(conversations, 'tenantId', 'conversationId', 'botId'),
  ...chatColumns,
  isReadyAtOnce: 'boolean',
  leastMs: 'integer',
});
const chatNames = namedRow(chatColumns).columns;
/** Messages arrive out of order after trouble with the bus. An older one describes the chat as it was before. */
const isNewest = 'excluded.last_seq >= c.last_seq';
/** Whether a person wrote one of the messages that wait, and not a rating. Evaluated only for chats that it opens. */
const isSpokenTo = `exists (select from agents.messages m
      where m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id and m.direction = 'in'
        and m.seq >= c.next_seq and m.status = 'queued' and m.automatic_reason is null
        and not exists (select from agents.messages question
          where question.tenant_id = c.tenant_id and question.message_id = c.rating_question_id
            and question.choices ? m.text))`;
/** A new message doesn't shorten the pause between a failed turn and its next attempt. */
const touchText = typedSql`
  insert into agents.conversations as c (
    tenant_id, conversation_id, bot_id, ${chatNames}, last_message_at, waiting_since, ready_at
  )
  select touched.tenant_id, conversation_id, touched.bot_id, ${chatNames}, now(), now(),
    now() + make_interval(secs => case
      when is_ready_at_once then 0
      else greatest(least_ms, coalesce(bots.join_window_ms, ${defaultJoinWindowMs}))::float8 / 1000
    end)
  from ${touched}
  left join agents.bots on bots.tenant_id = touched.tenant_id and bots.bot_id = touched.bot_id
  order by touched.tenant_id, conversation_id
  on conflict (tenant_id, conversation_id) do update
  set place = case when ${isNewest} then excluded.place else c.place end,
    integration_id = case when ${isNewest} then excluded.integration_id else c.integration_id end,
    last_seq = greatest(c.last_seq, excluded.last_seq),
    stopped_seq = greatest(c.stopped_seq, excluded.stopped_seq),
    last_message_at = now(),
    session_id = case when c.last_message_at >= now() - ${sessionSilence} then c.session_id end,
    state = case when c.state in ('snoozed', 'resolved') and ${isSpokenTo} then 'open' else c.state end,
    waiting_since = coalesce(c.waiting_since, now()),
    ready_at = greatest(
      case when c.failures > 0 then c.ready_at end,
      least(
        excluded.ready_at,
        coalesce(c.waiting_since, now()) + (excluded.ready_at - now()) * ${maxJoinWindows}
      )
    )
  returning ${columns({
    waitMs: number('greatest(0, ceil(extract(epoch from c.ready_at - now()) * 1000))'),
  })}`;

const touchConversations = preparedStatement({
  name: 'agents.conversations.touch',
  text: touchText,
  values: (arrived: readonly InboundMessage[]) => {
    const ofConversations = Map.groupBy(arrived, (message) => message.conversationId);
    return touched.values([...ofConversations.values()].map(toTouch));
  },
  result: (rows) => new Set(rows.map(({ waitMs }) => waitMs)),
});

/** The change to a conversation by its arrived messages, in any order. */
function toTouch(messages: readonly InboundMessage[]) {
  const newest = messages.reduce((last, message) => (message.seq > last.seq ? message : last));
  const stops = messages.filter(({ command }) => command?.name === 'stop').map(({ seq }) => seq);
  return {
    ...newest,
    chatId: uuidv7(),
    place: newest.chat,
    lastSeq: newest.seq,
    stoppedSeq: stops.length > 0 ? Math.max(...stops) : null,
    isReadyAtOnce: messages.some(isNeverJoined),
    leastMs: messages.some(({ albumId }) => albumId !== undefined) ? albumWindowMs : 0,
  };
}

/** Commands, and messages of platforms where each message is complete. */
const isNeverJoined = ({ command, platform }: InboundMessage): boolean =>
  command !== undefined || !platformCapabilities[platform].joinsMessages;
