import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, number } from '@botyard/shared/db/expressions';
import { toJson, unnest } from '@botyard/shared/db/named-values';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { outbox, turns } from '../../store/schema.ts';
import { type Completion, completing, completionValues } from './claims.ts';

/** The record of one answer. */
export type NewTurn = Omit<typeof turns.$inferSelect, 'createdAt'>;

/** The rows of a turn that ends with a reply. */
export interface AnsweredTurnRows {
  /** Messages that it answers. */
  answeredIds: readonly string[];
  record: NewTurn;
  reply: { seq: number; afterSeq: number; text: string };
  events: readonly OutboxRow[];
}

const answered = columns({
  isReady: boolean('"isReady"'),
  isWhole: number('1 / (cardinality($answeredIds::uuid[]) = (select count(*) from answered))::int'),
});

const { createdAt, ...recordColumns } = getTableColumns(turns);
const recordNames = Object.keys(recordColumns) as (keyof NewTurn)[];
const { id, subject, data, traceparent } = outbox;
const added = unnest('added', { id, subject, data, traceparent });

const answerText = typedSql`with done as (${completing.text}
  ), answered as (
    update agents.messages m set status = 'answered', agent_id = coalesce($agentId, m.agent_id), tries = null, dead_at = null
    from done where m.tenant_id = $tenantId and m.message_id = any ($answeredIds::uuid[]) and m.status = 'queued' returning 1
  ), replied as (
    insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, agent_id, status,
      received_at, after_seq)
    select $tenantId, $replyId, $conversationId, 'out', $seq, $text, 'text', $agentId, 'sending', now(), $afterSeq from done
  ), recorded as (
    insert into agents.turns (${recordNames.map((name) => recordColumns[name].name).join(', ')})
    select ${recordNames.map((name) => `$${name}`).join(', ')} from done
  ), announced as (
    insert into agents.outbox (${added.columns}) select ${added.columns} from done, ${added}
  )
  select ${answered} from done`;

const recordValues = (record: NewTurn) =>
  Object.fromEntries(
    recordNames.map((name) => {
      const value = record[name];
      const isJson = value !== null && recordColumns[name].getSQLType() === 'jsonb';
      return [name, isJson ? toJson(value) : value];
    }),
  );

const divisionByZero = '22012';

/**
 * As `completeTurn`, with everything that an answer leaves, in one statement: where the turn isn't completed, nothing
 * is written.
 * @throws when a message of the turn is not waiting any more: the statement undoes itself then by a division that can't
 * be made.
 */
export async function completeWithReply(
  tx: TenantTx,
  held: ClaimedConversation,
  turn: Completion,
  { answeredIds, record, reply, events }: AnsweredTurnRows,
): Promise<{ isReady: boolean } | undefined> {
  const asking = tx.query({
    name: 'agents.conversations.answer',
    text: answerText,
    values: {
      ...{ ...recordValues(record), ...completionValues(held, turn), answeredIds },
      ...{ seq: reply.seq, afterSeq: reply.afterSeq, text: reply.text },
      ...added.values(events),
    },
  });
  const [row] = await asking.catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== divisionByZero) throw error;
    throw new Error('a message is gone, or was ended meanwhile', { cause: error });
  });
  return row && { isReady: row.isReady };
}
