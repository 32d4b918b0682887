import type { DataOf } from '@botyard/contracts/events/definition';
import type { Receipt, replyDelivered, replyReported } from '@botyard/contracts/events/webhooks';
import type { ReplyDelivery } from '@botyard/contracts/http/context-traces';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, asc, eq, getTableColumns, inArray } from '@botyard/shared/db/drizzle';
import { orNull, shape, withoutNulls } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf } from '@botyard/shared/db/typed-sql';
import { quotes } from '../../store/chat-schema.ts';
import { type conversations, messages } from '../../store/schema.ts';

export type MessageRow = typeof messages.$inferSelect;

const q = alias(quotes, 'q');
const quoted = shape({ text: q.text, author: q.author });
const { deadAt, tries, deliveryId, delivery, archivedIn, ...saidColumns } = getTableColumns(messages);

/**
 * The columns of a message as it is answered or shown to a model, with its quote: for a query over `agents.messages`.
 */
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

const { tenantId, messageId, status, lastError } = saidColumns;
const outcome = unnest('outcome', { tenantId, messageId, status, delivery, lastError });

/** Saves the platform's outcome of replies. */
export const saveDeliveries = preparedStatement({
  name: 'agents.messages.delivered',
  text: `update agents.messages m
         set status = outcome.status,
           delivery = outcome.delivery,
           last_error = coalesce(outcome.last_error, m.last_error)
         from ${outcome}
         where m.tenant_id = outcome.tenant_id and m.message_id = outcome.message_id`,
  values: (delivered: readonly DataOf<typeof replyDelivered>[]) => {
    const deliveredAt = new Date().toISOString();
    return outcome.values(delivered.map((reply) => toRow(reply, deliveredAt)));
  },
});

const toRow = (outcome: DataOf<typeof replyDelivered>, deliveredAt: string) => {
  const { tenantId, replyId, state, lastError, platformMessageIds, isUncertain } = outcome;
  return {
    tenantId,
    messageId: replyId,
    lastError,
    // A reply that was given up may still have arrived.
    status: state === 'failed' && isUncertain ? 'uncertain' : state,
    delivery: { platformMessageIds, isUncertain, deliveredAt } satisfies ReplyDelivery,
  };
};

const rankOf = (state: string) => `array_position(array['delivered', 'read', 'failed'], ${state})`;

/** Saves what the platform reported about a sent reply, unless it reported more before. */
export const saveReceipt = preparedStatement({
  name: 'agents.messages.receipt',
  text: `update agents.messages set receipt = $receipt::jsonb
         where tenant_id = $tenantId and message_id = $replyId and direction = 'out'
           and (receipt is null or ${rankOf(`receipt ->> 'state'`)} < ${rankOf(`$state::text`)})`,
  values: ({ tenantId, replyId, state, reason, happenedAt }: DataOf<typeof replyReported>) => {
    const receipt: Receipt = { state, happenedAt, ...(reason === undefined ? {} : { reason }) };
    return { tenantId, replyId, state, receipt: JSON.stringify(receipt) };
  },
});

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
