import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, number } from '@botyard/shared/db/expressions';
import { hasFoundSome } from '@botyard/shared/db/failures';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { messages, outbox, turns } from '../../store/schema.ts';
import { type Completed, type Completion, completing, completionColumns, completionOf } from './claims.ts';

/** The record of one answer. */
export type NewTurn = Omit<typeof turns.$inferSelect, 'createdAt'>;

/** A turn that ends with a reply, with its rows. */
export interface AnsweredTurnRows {
  held: ClaimedConversation;
  end: Completion;
  /** Messages that it answers. */
  answeredIds: readonly string[];
  record: NewTurn;
  reply: { seq: number; afterSeq: number; text: string };
  events: readonly OutboxRow[];
}

const { createdAt, ...recordColumns } = getTableColumns(turns);
const { messageIds, ...plainColumns } = recordColumns;
const namesOf = (of: Readonly<Record<string, { name: string }>>) =>
  Object.values(of)
    .map(({ name }) => name)
    .join(', ');
const recordNames = namesOf(plainColumns);
const { seq, text, afterSeq } = messages;
/** A list within a row is passed as text, because `unnest` flattens lists. */
const ended = unnest('turn', {
  ...recordColumns,
  ...completionColumns,
  seq,
  text,
  afterSeq,
  messageIds: 'text',
  answeredIds: 'text',
});
const { id, subject, data, traceparent } = outbox;
const eventColumns = { id, subject, data, traceparent };
const eventNames = namesOf(eventColumns);
const added = unnest('added', { ...eventColumns, ofTurn: 'uuid' });

const answerText = typedSql`with done as (${completing(ended)}
    returning turn.*, c.ready_at is not null as is_ready
  ), answered as (
    update agents.messages m set status = 'answered', agent_id = coalesce(a.agent_id, m.agent_id), tries = null, dead_at = null
    from (select tenant_id, agent_id, unnest(answered_ids::uuid[]) as message_id from done) a
    where m.tenant_id = a.tenant_id and m.message_id = a.message_id and m.status = 'queued' returning 1
  ), replied as (
    insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, agent_id, status,
      received_at, after_seq)
    select tenant_id, reply_id, conversation_id, 'out', seq, text, 'text', agent_id, 'sending', now(), after_seq from done
  ), recorded as (
    insert into agents.turns (message_ids, ${recordNames}) select message_ids::uuid[], ${recordNames} from done
  ), announced as (
    insert into agents.outbox (${eventNames}) select ${eventNames} from done join ${added} on added.of_turn = done.turn_id
  )
  select ${columns({
    turnId: turns.turnId,
    isReady: boolean('is_ready'),
    isWhole: number(`1 / ((select sum(cardinality(answered_ids::uuid[])) from done)
      = (select count(*) from answered))::int`),
  })} from done`;

/**
 * The same as `completeTurn` for each turn, with all rows of an answer, in one statement. Nothing is written for a turn
 * that isn't completed.
 * @throws when a message of a turn is no longer pending: then the statement rolls itself back with a division by zero.
 */
export async function completeWithReplies(
  tx: TenantTx,
  all: readonly AnsweredTurnRows[],
): Promise<Completed[]> {
  const asking = tx.query({
    name: 'agents.conversations.answer',
    text: answerText,
    values: { ...ended.values(all.map(toRow)), ...added.values(all.flatMap(toEvents)) },
  });
  const rows = await asking.catch((error: unknown) => {
    if (!hasFoundSome(error)) throw error;
    throw new Error('a message no longer exists, or was ended meanwhile', { cause: error });
  });
  const completed = new Map(rows.map(({ turnId, isReady }) => [turnId, { isReady }]));
  return all.map(({ record }) => completed.get(record.turnId));
}

const toRow = ({ held, end, record, reply, answeredIds }: AnsweredTurnRows) => ({
  ...record,
  ...completionOf(held, end),
  ...reply,
  messageIds: toList(record.messageIds),
  answeredIds: toList(answeredIds),
});

const toList = (ids: readonly string[]) => `{${ids.join(',')}}`;

const toEvents = ({ record, events }: AnsweredTurnRows) =>
  events.map((event) => ({ ...event, ofTurn: record.turnId }));

/** Whether the chat got a notice of this cause within the last hour. */
export async function hasRecentNotice(
  tx: TenantTx,
  chat: { tenantId: string; conversationId: string },
  cause: string,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'agents.turns.recent_notice',
    text: `select from agents.turns where tenant_id = $1 and conversation_id = $2 and failure = $3
             and created_at > now() - interval '1 hour' limit 1`,
    values: [chat.tenantId, chat.conversationId, cause],
  });
  return rows.length > 0;
}
