import { alias } from '@botyard/shared/db/drizzle';
import { boolean, like } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { summaries } from '../../store/context-schema.ts';
import type { ConversationKey } from '../../store/conversation-of.ts';
import { conversations, messages } from '../../store/schema.ts';

const c = alias(conversations, 'c');
const state = columns({
  text: like(summaries.text, 'claimed.text'),
  summarizedUntil: c.summarizedUntil,
  contextFrom: c.contextFrom,
});

/** The input of a conversation's next summary. Its result is saved only while the last two fields are unchanged. */
export type SummaryState = RowOf<typeof state>;

const claimText = typedSql`with claimed as (
    insert into agents.summaries as s (tenant_id, conversation_id, lease_until)
    select tenant_id, conversation_id, now() + make_interval(secs => $3::float8 / 1000)
    from agents.conversations where tenant_id = $1 and conversation_id = $2
    on conflict (tenant_id, conversation_id) do update set lease_until = excluded.lease_until
    where s.lease_until < now() returning s.text)
  select ${state} from claimed, agents.conversations c where c.tenant_id = $1 and c.conversation_id = $2`;

/** Claims the next summary. Returns `undefined` while another worker has it, or shortly after a failure. */
export const claimSummary = preparedStatement({
  name: 'agents.summaries.claim',
  text: claimText,
  values: ({ tenantId, conversationId }: ConversationKey, leaseMs: number) => [
    tenantId,
    conversationId,
    leaseMs,
  ],
  result: ([row]) => row,
});

const fallen = columns({
  ...pick(messages, 'messageId', 'direction', 'text', 'attachment', 'mail'),
  isByStaff: boolean('staff_id is not null'),
});
export type FallenMessage = RowOf<typeof fallen>;

/** Written so that no index is used for the tenant's condition: see `turn-view.ts`. */
const fallenText = typedSql`select ${fallen} from agents.messages
  where (tenant_id = $tenantId) is true and conversation_id = $conversationId and message_id <= $until
    and message_id > coalesce($summarizedUntil::uuid, '00000000-0000-0000-0000-000000000000')
    and (status in ('answered', 'sending', 'sent', 'uncertain')
      or (status = 'ignored' and is_for_staff and refusal is null))
    and (text <> '' or (attachment -> 'read') is not null) and not is_left_out
    and created_at > coalesce($contextFrom::timestamptz, '-infinity') order by message_id limit $limit`;

interface FallenSpan extends Pick<SummaryState, 'summarizedUntil' | 'contextFrom'> {
  until: string;
  limit: number;
}

/** Messages that have left the context window and aren't in a summary yet, oldest first. */
export const listFallen = preparedStatement({
  name: 'agents.summaries.fallen',
  text: fallenText,
  values: (
    { tenantId, conversationId }: ConversationKey,
    { until, summarizedUntil, contextFrom, limit }: FallenSpan,
  ) => ({ tenantId, conversationId, until, summarizedUntil, contextFrom, limit }),
});

/**
 * Saves the summary. Returns `false` and saves nothing if the conversation was restarted or another worker has saved
 * one.
 */
export const saveSummary = preparedStatement({
  name: 'agents.summaries.save',
  text: `with current as (
           update agents.conversations set summarized_until = $until where tenant_id = $tenantId and conversation_id = $conversationId
             and summarized_until is not distinct from $summarizedUntil and context_from is not distinct from $contextFrom
             and exists (select from agents.summaries where tenant_id = $tenantId and conversation_id = $conversationId) returning 1)
         update agents.summaries set text = $text, lease_until = now(), updated_at = now()
         where tenant_id = $tenantId and conversation_id = $conversationId and exists (select from current) returning 1`,
  values: (
    { tenantId, conversationId }: ConversationKey,
    { summarizedUntil, contextFrom }: SummaryState,
    { text, until }: { text: string; until: string },
  ) => ({ tenantId, conversationId, summarizedUntil, contextFrom, until, text }),
  result: (rows) => rows.length > 0,
});

/** Blocks new summaries of the conversation for the given time. */
export const pauseSummary = preparedStatement({
  name: 'agents.summaries.pause',
  text: `update agents.summaries set lease_until = now() + make_interval(secs => $3::float8 / 1000)
         where tenant_id = $1 and conversation_id = $2`,
  values: ({ tenantId, conversationId }: ConversationKey, waitMs: number) => [
    tenantId,
    conversationId,
    waitMs,
  ],
});

export const deleteSummary = preparedStatement({
  name: 'agents.summaries.delete',
  text: 'delete from agents.summaries where tenant_id = $1 and conversation_id = $2',
  values: ({ tenantId, conversationId }: ConversationKey) => [tenantId, conversationId],
});
