import type { PlatformTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { number } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import type { ConversationRow } from '../../conversations/store/messages.ts';
import { conversations, messages } from '../../store/schema.ts';

type ConversationKey = Pick<ConversationRow, 'tenantId' | 'conversationId'>;

const missingText = typedSql`
  select ${columns({ seq: number('wanted.seq') })}
  from generate_series($from::bigint, $before::bigint - 1) as wanted (seq)
  where not exists (
    select from agents.messages m
    where m.tenant_id = $tenantId and m.conversation_id = $conversationId
      and m.direction = 'in' and m.seq = wanted.seq and m.status <> 'queued'
  )
  limit $limit`;

/**
 * The first positions in a span that have no settled message. They include pending messages that have arrived since the
 * queue was read, which are answered first.
 */
export const listMissing = preparedStatement({
  name: 'agents.messages.missing',
  text: missingText,
  values: (
    { tenantId, conversationId }: ConversationKey,
    span: { from: number; before: number; limit: number },
  ) => ({ tenantId, conversationId, ...span }),
  result: (rows) => rows.map(({ seq }) => seq).sort((left, right) => left - right),
});

const deadLetterText = typedSql`
  insert into agents.messages (
    tenant_id, message_id, conversation_id, direction, seq, text, content, status, last_error, dead_at, tries, received_at
  )
  select $tenantId, agents.new_id(), $conversationId, 'in', seq, '', 'unsupported', 'dead', $lastError, now(), 0, now()
  from unnest($seqs::bigint[]) as missing (seq)
  order by seq
  on conflict (conversation_id, direction, seq) do nothing
  returning ${columns({ messageId: messages.messageId })}`;

/**
 * Stores dead letters in the positions of messages that never arrived, and returns their identifiers. A message that
 * arrives after all takes its position.
 */
export const deadLetterMissing = preparedStatement({
  name: 'agents.messages.dead_letter_missing',
  text: deadLetterText,
  values: ({ tenantId, conversationId }: ConversationKey, seqs: readonly number[], lastError: string) => ({
    tenantId,
    conversationId,
    seqs,
    lastError,
  }),
  result: (rows) => rows.map(({ messageId }) => messageId),
});

const announced = unnest('announced', pick(conversations, 'tenantId', 'conversationId', 'lastSeq'));
const behindText = typedSql`
  select ${columns({
    ...pick(alias(conversations, 'announced'), 'tenantId', 'conversationId'),
    lastSeq: number('coalesce(stored.last_seq, 0)'),
    wantedSeq: number('announced.last_seq'),
  })}
  from ${announced}
  left join agents.conversations stored
    on stored.tenant_id = announced.tenant_id and stored.conversation_id = announced.conversation_id
  where coalesce(stored.last_seq, 0) < announced.last_seq
    and not exists (select from agents.deleted_tenants d where d.tenant_id = announced.tenant_id)`;

/** Conversations of existing tenants that have more messages than are stored here. */
export async function listBehind(
  tx: PlatformTx,
  announcedConversations: readonly (ConversationKey & { lastSeq: number })[],
): Promise<RowOf<typeof behindText>[]> {
  return await tx.query({
    name: 'agents.conversations.behind',
    text: behindText,
    values: announced.values(announcedConversations),
  });
}
