import type { DeletedMessage } from '@botyard/contracts/events/webhooks';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';

const emptyText = `
  with emptied as (
    update agents.messages
    set text = '', content = 'unsupported', command = null, attachment = null, mail = null,
      last_error = null, dead_at = null, deleted_at = coalesce(deleted_at, $deletedAt::timestamptz),
      status = case when status in ('queued', 'dead') then 'ignored' else status end
    where tenant_id = $tenantId
      and conversation_id = $conversationId
      and direction = 'in'
      and platform_message_id = any ($platformMessageIds::text[])
    returning message_id, seq
  ), unquoted as (
    delete from agents.quotes
    where tenant_id = $tenantId
      and conversation_id = $conversationId
      and (seq in (select seq from emptied) or platform_message_id = any ($platformMessageIds::text[]))
  ), answered as (
    select turn_id
    from agents.turns
    where tenant_id = $tenantId
      and conversation_id = $conversationId
      and message_ids && (select coalesce(array_agg(message_id), '{}') from emptied)
  ), unrecorded as (
    delete from agents.turn_recordings
    where tenant_id = $tenantId
      and turn_id in (select turn_id from answered)
  ), unshadowed as (
    delete from agents.shadow_answers
    where tenant_id = $tenantId
      and turn_id in (select turn_id from answered)
  ), removed_summary as (
    delete from agents.summaries summary
    using agents.conversations conversation
    where summary.tenant_id = $tenantId
      and summary.conversation_id = $conversationId
      and conversation.tenant_id = summary.tenant_id
      and conversation.conversation_id = summary.conversation_id
      and exists (select from emptied)
      and (summary.lease_until > now()
        or exists (select from emptied where message_id <= conversation.summarized_until))
    returning summary.conversation_id
  )
  update agents.conversations conversation
  set summarized_until = null
  from removed_summary
  where conversation.tenant_id = $tenantId
    and conversation.conversation_id = removed_summary.conversation_id`;

/**
 * Empties a deleted message, and removes quotes of it, the recording of its turn, answers of a candidate to it, and a
 * summary that may repeat it. It keeps its position. The caller has locked the conversation.
 */
export const emptyDeleted = preparedStatement({
  name: 'agents.messages.empty_deleted',
  text: emptyText,
  values: (deletion: DeletedMessage) => {
    const { tenantId, conversationId, platformMessageIds, deletedAt } = deletion;
    return { tenantId, conversationId, platformMessageIds, deletedAt };
  },
});
