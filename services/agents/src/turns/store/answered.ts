import type { OutboxRow } from '@botyard/shared/bus/outbox-rows';
import type { TenantTx } from '@botyard/shared/db/database';
import { boolean, number } from '@botyard/shared/db/expressions';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { turns } from '../../store/schema.ts';
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
  isWhole: number('1 / (cardinality($12::uuid[]) = (select count(*) from answered))::int'),
});

const answerText = typedSql`with done as (${completing.text}
  ), answered as (
    update agents.messages m set status = 'answered', agent_id = coalesce($11, m.agent_id), tries = null, dead_at = null
    from done where m.tenant_id = $1 and m.message_id = any ($12::uuid[]) and m.status = 'queued' returning 1
  ), replied as (
    insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, agent_id, status,
      received_at, after_seq)
    select $1, $10, $2, 'out', $13, $14, 'text', $11, 'sending', now(), $15 from done
  ), recorded as (
    insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, agent_id, outcome, failure,
      triage, provider, model, key_id, key_source, context_messages, input_tokens, output_tokens, is_estimated,
      duration_ms, deliveries, context, key_attempts, tool_calls)
    select $1, $9, $2, $16, $10, $11, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32 from done
  ), announced as (
    insert into agents.outbox (id, subject, data, traceparent)
    select e.* from done, unnest($33::uuid[], $34::text[], $35::text[], $36::text[]) e
  )
  select ${answered} from done`;

const divisionByZero = '22012';

/**
 * As `completeTurn`, with everything that an answer leaves, in one statement: where the turn isn't completed, nothing is written.
 * @throws when a message of the turn is not waiting any more: the statement undoes itself then by a division that can't be made.
 */
export async function completeWithReply(
  tx: TenantTx,
  held: ClaimedConversation,
  turn: Completion,
  { answeredIds, record, reply, events }: AnsweredTurnRows,
): Promise<{ isReady: boolean } | undefined> {
  const json = (value: object | null) => value && JSON.stringify(value);
  const asking = tx.query({
    name: 'agents.conversations.answer',
    text: answerText,
    values: [
      ...completionValues(held, turn),
      ...[record.turnId, record.replyId, record.agentId, answeredIds, reply.seq, reply.text, reply.afterSeq],
      ...[
        record.messageIds,
        record.outcome,
        record.failure,
        json(record.triage),
        record.provider,
        record.model,
      ],
      ...[record.keyId, record.keySource, record.contextMessages, record.inputTokens, record.outputTokens],
      ...[record.isEstimated, record.durationMs, json(record.deliveries), json(record.context)],
      ...[json(record.keyAttempts), json(record.toolCalls)],
      events.map(({ id }) => id),
      events.map(({ subject }) => subject),
      events.map(({ data }) => data),
      events.map(({ traceparent }) => traceparent),
    ],
  });
  const [row] = await asking.catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== divisionByZero) throw error;
    throw new Error('a message is gone, or was ended meanwhile', { cause: error });
  });
  return row && { isReady: row.isReady };
}
