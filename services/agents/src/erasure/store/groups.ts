import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import type { IdSpan } from '@botyard/shared/db/erase-bus-rows';
import { countOf, number } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { turns } from '../../store/schema.ts';

interface InGroups {
  tenantId: string;
  conversationIds: readonly string[];
  personIds: readonly string[];
  platformUserIds: readonly string[];
  erasedBefore: Date;
}

const emptied = columns({
  messages: number('(select count(*) from emptied) + (select count(*) from answers)'),
  turns: countOf('from traced'),
  records: countOf('from records'),
});

/**
 * Empties some messages of these people in groups. For turns that answered or quoted them, also empties the traces and
 * the answers, which repeat their words, with derived records that belong to nobody else. The rows stay, so that other
 * messages keep their positions; running turns lose the conversation.
 */
export async function emptySaid(
  tx: TenantTx,
  wanted: InGroups,
  limit: number,
): Promise<{ messages: number; turns: number; records: number }> {
  await endRunningTurns(tx, wanted);
  const { tenantId, conversationIds, platformUserIds, erasedBefore, personIds } = wanted;
  return await tx.one({
    name: 'agents.erasure.groups',
    text: typedSql`with theirs as (
             select tenant_id, message_id, conversation_id from agents.messages where tenant_id = $tenantId
               and conversation_id = any ($conversationIds::uuid[]) and direction = 'in' and sender ->> 'platformUserId' = any ($platformUserIds::text[])
               and received_at <= $erasedBefore limit $limit),
           quoting as (
             select m.message_id from agents.quotes q join agents.messages m on m.tenant_id = q.tenant_id
               and m.conversation_id = q.conversation_id and m.direction = 'in' and m.seq = q.seq
             where q.tenant_id = $tenantId and q.conversation_id = any ($conversationIds::uuid[]) and q.author ->> 'platformUserId' = any ($platformUserIds::text[])),
           emptied as (
             update agents.messages m set text = '', sender = null, command = null, attachment = null, mail = null, content = 'unsupported',
               platform_message_id = null, last_error = null, album_id = null, dead_at = null,
               status = case when m.status in ('queued', 'dead') then 'ignored' else m.status end
             from theirs t where m.tenant_id = t.tenant_id and m.message_id = t.message_id
             returning m.message_id, m.conversation_id, m.seq),
           traced as (${emptyTurnsText(`(select array_agg(message_id) from (select message_id from theirs union select message_id from quoting) u)`)}),
           unrecorded as (${deleteRecordingsText}),
           unshadowed as (${deleteShadowText}),
           answers as (
             update agents.messages m set text = '', template = null, choices = null where m.tenant_id = $tenantId and (m.message_id in (select reply_id from traced)
               or (m.conversation_id = any ($conversationIds::uuid[]) and m.direction = 'out' and m.staff_id is not null
                 and (m.conversation_id, m.after_seq) in (select conversation_id, seq from emptied)))
             returning 1),
           records as (
             delete from agents.app_records r where r.tenant_id = $tenantId and r.source = 'bot'
               and (r.person_id is null or r.person_id = any ($personIds::uuid[]))
               and r.message_id in (select message_id from theirs union select unnest(message_ids) from traced) returning 1)
           select ${emptied}`,
    values: { tenantId, conversationIds, platformUserIds, erasedBefore, limit, personIds },
  });
}

/**
 * Invalidates the claims of processes that answer in these conversations, in a statement before the others. A turn that
 * ends concurrently has either ended before, so that the other statements see its rows, or writes nothing.
 */
async function endRunningTurns(tx: TenantTx, wanted: InGroups): Promise<void> {
  await tx.query({
    name: 'agents.erasure.end_turns',
    text: `update agents.conversations c set fence = fence + 1, lease_until = null, last_error = null, summarized_until = null,
             handover_reason = null
           where c.tenant_id = $1 and c.conversation_id = any ($2::uuid[]) and exists (select from agents.messages m
             where m.tenant_id = $1 and m.conversation_id = c.conversation_id and m.direction = 'in'
               and m.sender ->> 'platformUserId' = any ($3::text[]) and m.received_at <= $4)`,
    values: [wanted.tenantId, wanted.conversationIds, wanted.platformUserIds, wanted.erasedBefore],
  });
}

/** Marks an emptied turn by its missing deliveries, which later identify it and its reply. */
function emptyTurnsText(messageIds: string): string {
  return `update agents.turns t set triage = null, context = null, model_record = null, tool_calls = '[]', deliveries = '[]'
          where t.tenant_id = $tenantId and t.conversation_id = any ($conversationIds::uuid[]) and t.deliveries <> '[]'
            and t.message_ids && coalesce(${messageIds}, '{}') returning turn_id, reply_id, message_ids`;
}

const deleteRecordingsText = `delete from agents.turn_recordings r where r.tenant_id = $tenantId
            and r.turn_id in (select turn_id from traced)`;

const deleteShadowText = `delete from agents.shadow_answers s where s.tenant_id = $tenantId
            and s.turn_id in (select turn_id from traced)`;

/**
 * Does the same for messages that only the archive has: empties their turns, and answers that are still in the table.
 */
export const emptyTurnsOf = preparedStatement({
  name: 'agents.erasure.turns',
  text: `with traced as (${emptyTurnsText('$messageIds::uuid[]')}), unrecorded as (${deleteRecordingsText}),
           unshadowed as (${deleteShadowText})
         update agents.messages m set text = '', choices = null where m.tenant_id = $tenantId and m.message_id in (select reply_id from traced)`,
  values: (
    tenantId: string,
    { conversationIds, messageIds }: { conversationIds: readonly string[]; messageIds: readonly string[] },
  ) => ({ tenantId, conversationIds, messageIds }),
});

/** Replies in these conversations that were emptied. */
export const listEmptied = preparedStatement({
  name: 'agents.erasure.emptied',
  text: typedSql`select ${columns({ replyId: turns.replyId })} from agents.turns where tenant_id = $1 and conversation_id = any ($2::uuid[]) and deliveries = '[]'
         union all select message_id from agents.messages where tenant_id = $1 and conversation_id = any ($2::uuid[])
           and staff_id is not null and text = ''`,
  values: (tenantId: string, conversationIds: readonly string[]) => [tenantId, conversationIds],
  result: (rows) => new Set(rows.map((row) => row.replyId)),
});

/**
 * Empties replies in the outbox, both pending ones and those that are kept in case the bus loses its store: all replies
 * of private chats, and those of groups whose texts were emptied. A reply keeps its position, so that later ones
 * needn't wait.
 */
export async function emptyReplies(
  tx: PlatformTx,
  {
    tenantId,
    privateIds,
    groupIds,
    erasedBefore,
  }: { tenantId: string; privateIds: readonly string[]; groupIds: readonly string[]; erasedBefore: Date },
  span: IdSpan,
): Promise<number> {
  return await tx.count({
    name: 'agents.erasure.outbox',
    text: `update agents.outbox o set data = (o.data::jsonb - 'choices' || jsonb_build_object('text', '', 'chat', (o.data::jsonb -> 'chat')
               || case when o.data::jsonb ->> 'conversationId' = any ($privateIds::text[]) then '{"title": "", "platformChatId": ""}'::jsonb
                  else '{}'::jsonb end))::text
           where o.id > $after and o.id <= $until and o.subject like '%.event.agents.reply.created.v1.' || $tenantId || '.%' and o.data::jsonb ->> 'text' <> ''
             and coalesce((o.data::jsonb ->> 'askedAt')::timestamptz, o.created_at) <= $erasedBefore
             and (o.data::jsonb ->> 'conversationId' = any ($privateIds::text[]) or (o.data::jsonb ->> 'conversationId' = any ($groupIds::text[])
               and (exists (select from agents.turns t where t.tenant_id = $tenantId::uuid
                   and t.reply_id = (o.data::jsonb ->> 'replyId')::uuid and t.deliveries = '[]')
                 or exists (select from agents.messages m where m.tenant_id = $tenantId::uuid
                   and m.message_id = (o.data::jsonb ->> 'replyId')::uuid and m.staff_id is not null and m.text = ''))))
           returning 1`,
    values: { tenantId, privateIds, groupIds, erasedBefore, after: span.after, until: span.until },
  });
}
