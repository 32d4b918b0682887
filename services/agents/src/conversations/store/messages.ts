import type { DataOf } from '@botyard/contracts/events/definition';
import type { replyDelivered } from '@botyard/contracts/events/webhooks';
import type { ReplyDelivery } from '@botyard/contracts/http/context-traces';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, asc, eq, getTableColumns, inArray } from '@botyard/shared/db/drizzle';
import { orNull, shape, withoutNulls } from '@botyard/shared/db/expressions';
import { columns, type RowOf } from '@botyard/shared/db/typed-sql';
import { type conversations, messages, quotes } from '../../store/schema.ts';

export type MessageRow = typeof messages.$inferSelect;

const q = alias(quotes, 'q');
const quoted = shape({ text: q.text, author: q.author });
const { deadAt, tries, deliveryId, delivery, archivedIn, ...saidColumns } = getTableColumns(messages);

/** A message as it is answered or shown to a model, with what it quotes: of a query over `agents.messages`. */
export const said = columns({
  ...saidColumns,
  quote: orNull(
    withoutNulls(
      quoted,
      `case when direction = 'in' then (select json_strip_nulls(${quoted}) from agents.quotes q
        where q.tenant_id = messages.tenant_id and q.conversation_id = messages.conversation_id
          and q.seq = messages.seq) end`,
    ),
  ),
});
export type SaidRow = RowOf<typeof said>;
export type ConversationRow = typeof conversations.$inferSelect;

interface ConversationKey {
  tenantId: string;
  conversationId: string;
}

/** Ends messages that wait for an answer. Returns how many of them still did: one that is ended already stays as it is. */
export async function endMessages(
  tx: TenantTx,
  tenantId: string,
  messageIds: readonly string[],
  end: {
    status: 'answered' | 'ignored' | 'dead';
    agentId?: string | null;
    lastError?: string;
    tries?: number;
    isForStaff?: boolean;
  },
): Promise<number> {
  const rows = await tx.query({
    name: 'agents.messages.end',
    text: `update agents.messages set status = $3, agent_id = coalesce($4, agent_id), last_error = coalesce($5, last_error),
             tries = $6, dead_at = case when $3 = 'dead' then now() end, is_for_staff = is_for_staff or $7
           where tenant_id = $1 and message_id = any ($2::uuid[]) and status = 'queued' returning 1`,
    values: [
      tenantId,
      messageIds,
      end.status,
      end.agentId ?? null,
      end.lastError ?? null,
      end.tries ?? null,
      end.isForStaff ?? false,
    ],
  });
  return rows.length;
}

/** Saves the outcome of replies at their platform. */
export async function saveDeliveries(
  tx: TenantTx,
  delivered: readonly DataOf<typeof replyDelivered>[],
): Promise<void> {
  const deliveredAt = new Date().toISOString();
  await tx.query({
    name: 'agents.messages.delivered',
    text: `update agents.messages m
           set status = u.state, delivery = u.delivery, last_error = coalesce(u.error, m.last_error)
           from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[], $5::text[])
             as u (tenant_id, message_id, state, delivery, error)
           where m.tenant_id = u.tenant_id and m.message_id = u.message_id`,
    values: [
      delivered.map(({ tenantId }) => tenantId),
      delivered.map(({ replyId }) => replyId),
      // A reply that was given up may have arrived all the same.
      delivered.map(({ state, isUncertain }) => (state === 'failed' && isUncertain ? 'uncertain' : state)),
      delivered.map(({ platformMessageIds, isUncertain }) =>
        JSON.stringify({ platformMessageIds, isUncertain, deliveredAt } satisfies ReplyDelivery),
      ),
      delivered.map(({ lastError = null }) => lastError),
    ],
  });
}

export async function insertReply(
  tx: TenantTx,
  reply: ConversationKey & Pick<MessageRow, 'messageId' | 'seq' | 'afterSeq' | 'text' | 'agentId'>,
): Promise<void> {
  await tx.query({
    name: 'agents.messages.reply',
    text: `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, agent_id, status,
             received_at, after_seq)
           values ($1, $2, $3, 'out', $4, $5, 'text', $6, 'sending', now(), $7)`,
    values: [
      ...[reply.tenantId, reply.messageId, reply.conversationId, reply.seq, reply.text, reply.agentId],
      reply.afterSeq,
    ],
  });
}

/** In the order of their places. */
export async function listMessagesById(
  tx: TenantTx,
  tenantId: string,
  messageIds: readonly string[],
): Promise<MessageRow[]> {
  if (messageIds.length === 0) return [];
  return await tx.db
    .select()
    .from(messages)
    .where(and(eq(messages.tenantId, tenantId), inArray(messages.messageId, [...messageIds])))
    .orderBy(asc(messages.seq));
}
