import { alias, getTableColumns } from '@botyard/shared/db/drizzle';
import { boolean, orNull, text, texts } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { replies, replyTurns } from '../../store/schema.ts';

type State = (typeof replies.$inferSelect)['state'];
const { state, createdAt, ...newReplyColumns } = getTableColumns(replies);
export const newReply = columns(newReplyColumns);
export type NewReply = RowOf<typeof newReply>;
export type ReplyKey = Pick<NewReply, 'tenantId' | 'replyId'>;

export interface Conversation {
  tenantId: string;
  conversationId: string;
}

const conversations = unnest('conversations', pick(replyTurns, 'tenantId', 'conversationId'));
const lockText = typedSql`
  insert into webhooks.reply_turns as r (${conversations.columns})
  select distinct ${conversations.columns}
  from ${conversations}
  order by ${conversations.columns}
  on conflict (${conversations.columns}) do update set next_reply_seq = r.next_reply_seq
  returning ${columns(pick(replyTurns, 'conversationId', 'nextReplySeq'))}`;

/**
 * Locks the replies of these conversations, always in the same order. Returns the position of the next reply that may
 * be sent, for each conversation.
 */
export const lockNextReplySeqs = preparedStatement({
  name: 'webhooks.reply_turns.lock',
  text: lockText,
  values: (of: readonly Conversation[]) => conversations.values(of),
  result: (rows) => new Map(rows.map(({ conversationId, nextReplySeq }) => [conversationId, nextReplySeq])),
});

const storedReply = columns({ ...newReplyColumns, state });
const storedText = typedSql`
  select ${storedReply}
  from webhooks.replies
  where tenant_id = any ($1::uuid[]) and conversation_id = any ($2::uuid[]) and state = 'waiting'
  union all
  select ${storedReply}
  from webhooks.replies
  where tenant_id = any ($1::uuid[]) and reply_id = any ($3::uuid[]) and state <> 'waiting'`;

/** Replies that wait for earlier ones in the conversations of these, and those of these that were queued before. */
export const listStoredReplies = preparedStatement({
  name: 'webhooks.replies.stored',
  text: storedText,
  values: (of: readonly NewReply[]) => [
    of.map(({ tenantId }) => tenantId),
    of.map(({ conversationId }) => conversationId),
    of.map(({ replyId }) => replyId),
  ],
});

const saved = unnest('saved', { ...newReplyColumns, state });
const positions = unnest('positions', pick(replies, 'tenantId', 'conversationId', 'replySeq', 'state'));
const saveText = `
  with advanced as (
    insert into webhooks.reply_turns as r (tenant_id, conversation_id, next_reply_seq)
    select tenant_id, conversation_id, max(reply_seq) + 1
    from ${positions}
    where state <> 'waiting'
    group by tenant_id, conversation_id
    on conflict (tenant_id, conversation_id) do update set
      next_reply_seq = greatest(r.next_reply_seq, excluded.next_reply_seq)
  )
  insert into webhooks.replies (${saved.columns})
  select ${saved.columns}
  from ${saved}
  order by tenant_id, conversation_id, reply_seq
  on conflict (tenant_id, reply_id) do update set state = excluded.state`;

/**
 * Stores replies, or their states, and lets those that follow be the next ones in their conversations. @throws when
 * another reply has the same position: the event then becomes a dead letter, instead of a silent loss.
 */
export const saveReplies = preparedStatement({
  name: 'webhooks.replies.save',
  text: saveText,
  values: (all: readonly (NewReply & { state: State })[]) => saved.values(all),
});

const r = alias(replies, 'r');
const endedReply = columns({
  ...pick(r, 'tenantId', 'replyId', 'botId', 'conversationId'),
  hasFailed: boolean('done.has_failed'),
  isUncertain: boolean('done.is_uncertain'),
  platformMessageIds: texts('done.platform_message_ids'),
  lastError: orNull(text('done.last_error')),
});
export type EndedReply = RowOf<typeof endedReply>;

const endText = typedSql`
  with done as (
    select r.tenant_id, r.reply_id,
      bool_or(p.state = 'failed') as has_failed,
      -- A part may have arrived twice or, of a failed reply, every part that was given up may have arrived.
      bool_or(p.is_uncertain) and bool_and(p.state <> 'failed' or p.is_uncertain) as is_uncertain,
      coalesce(
        array_agg(p.platform_message_id order by p.position) filter (where p.platform_message_id is not null),
        '{}'
      ) as platform_message_ids,
      (array_agg(p.last_error order by p.position) filter (where p.last_error is not null))[1] as last_error
    from webhooks.replies r
    join webhooks.parts p on p.tenant_id = r.tenant_id and p.reply_id = r.reply_id
    where r.tenant_id = any ($1::uuid[]) and r.reply_id = any ($2::uuid[]) and r.state = 'queued'
    group by r.tenant_id, r.reply_id
    having bool_and(p.state in ('sent', 'failed'))
  )
  update webhooks.replies r
  set state = case when done.has_failed then 'failed' else 'sent' end
  from done
  where r.tenant_id = done.tenant_id and r.reply_id = done.reply_id and r.state = 'queued'
  returning ${endedReply}`;

/** Ends those of these replies whose parts were all sent or given up. Returns each of them once. */
export const endReplies = preparedStatement({
  name: 'webhooks.replies.end',
  text: endText,
  values: (of: readonly ReplyKey[]) => [of.map(({ tenantId }) => tenantId), of.map(({ replyId }) => replyId)],
});
