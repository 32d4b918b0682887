import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, getTableColumns, sql } from '@botyard/shared/db/drizzle';
import { boolean, like, orNull, text, texts } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { replies, replyTurns } from '../../store/schema.ts';

type State = (typeof replies.$inferSelect)['state'];
const { state, createdAt, ...newReplyColumns } = getTableColumns(replies);
const newReply = columns(newReplyColumns);
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
export async function lockNextReplySeqs(
  tx: TenantTx,
  of: readonly Conversation[],
): Promise<Map<string, number>> {
  const values = conversations.values(of);
  const rows = await tx.query({ name: 'webhooks.reply_turns.lock', text: lockText, values });
  return new Map(rows.map(({ conversationId, nextReplySeq }) => [conversationId, nextReplySeq]));
}

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
export async function listStoredReplies(
  tx: TenantTx,
  of: readonly NewReply[],
): Promise<RowOf<typeof storedReply>[]> {
  const values = [
    of.map(({ tenantId }) => tenantId),
    of.map(({ conversationId }) => conversationId),
    of.map(({ replyId }) => replyId),
  ];
  return await tx.query({ name: 'webhooks.replies.stored', text: storedText, values });
}

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
export async function saveReplies(
  tx: TenantTx,
  all: readonly (NewReply & { state: State })[],
): Promise<void> {
  if (all.length === 0) return;
  await tx.query({ name: 'webhooks.replies.save', text: saveText, values: saved.values(all) });
}

/**
 * Conversations in which a reply has waited for 3 minutes, which is longer than all attempts for an earlier event take.
 */
export async function listOverdueConversations(tx: PlatformTx): Promise<Conversation[]> {
  return await tx.db
    .selectDistinct({ tenantId: replies.tenantId, conversationId: replies.conversationId })
    .from(replies)
    .where(and(eq(replies.state, 'waiting'), sql`${replies.createdAt} < now() - interval '3 minutes'`))
    .limit(100);
}

const passText = typedSql`
  with first as (
    select *
    from webhooks.replies
    where tenant_id = $1 and conversation_id = $2 and state = 'waiting'
    order by reply_seq
    limit 1
  ), passed as (
    update webhooks.reply_turns r
    set next_reply_seq = greatest(r.next_reply_seq, first.reply_seq)
    from first
    where r.tenant_id = $1 and r.conversation_id = $2
  )
  select ${newReply}
  from first`;

/** Lets the first reply that waits in a conversation be the next one. Returns it. */
export async function passOver(
  tx: TenantTx,
  { tenantId, conversationId }: Conversation,
): Promise<NewReply | undefined> {
  return await tx.first({
    name: 'webhooks.replies.pass_over',
    text: passText,
    values: [tenantId, conversationId],
  });
}

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
export async function endReplies(tx: TenantTx, of: readonly ReplyKey[]): Promise<EndedReply[]> {
  if (of.length === 0) return [];
  const values = [of.map(({ tenantId }) => tenantId), of.map(({ replyId }) => replyId)];
  return await tx.query({ name: 'webhooks.replies.end', text: endText, values });
}

const sentReply = columns({
  /** `null` for a message that isn't of a reply, or that is unknown. */
  replyId: orNull(
    like(replies.replyId, '(array_agg(p.reply_id) filter (where p.platform_message_id = $3))[1]'),
  ),
  isSending: boolean("coalesce(bool_or(p.state = 'sending'), false)"),
});

/**
 * The reply of a message that the platform names, in this conversation, and whether a message is being sent there whose
 * name isn't known yet.
 */
export async function findSentReply(
  tx: TenantTx,
  { tenantId, conversationId, platformMessageId }: Conversation & { platformMessageId: string },
): Promise<RowOf<typeof sentReply>> {
  return await tx.one({
    name: 'webhooks.replies.of_message',
    text: typedSql`select ${sentReply}
      from webhooks.replies r
      join webhooks.parts p on p.reply_id = r.reply_id and p.tenant_id = r.tenant_id
      where r.tenant_id = $1 and r.conversation_id = $2`,
    values: [tenantId, conversationId, platformMessageId],
  });
}

const replyInThread = columns(pick(replies, 'replyId', 'conversationId'));
const inThreadText = typedSql`
  select ${replyInThread}
  from webhooks.replies
  where tenant_id = $1 and reply_id = (
    select p.reply_id
    from webhooks.parts p
    where p.tenant_id = $1
      and p.bot_id = $2
      and p.platform_chat_id = any ($3::text[])
      and p.platform_message_id = $4
      and p.thread_id is not null
    limit 1
  )`;

/** The reply of a message in any thread of a chat, which may have had another key. */
export async function findReplyInThreads(
  tx: TenantTx,
  place: { tenantId: string; botId: string; chatKeys: readonly string[]; platformMessageId: string },
): Promise<RowOf<typeof replyInThread> | undefined> {
  const { tenantId, botId, chatKeys, platformMessageId } = place;
  return await tx.first({
    name: 'webhooks.replies.in_threads',
    text: inThreadText,
    values: [tenantId, botId, chatKeys, platformMessageId],
  });
}

/** Whether a message is being sent to a chat or its threads, whose name isn't known yet. */
export async function isSendingTo(
  tx: TenantTx,
  place: { tenantId: string; botId: string; chatKeys: readonly string[] },
): Promise<boolean> {
  const { tenantId, botId, chatKeys } = place;
  return await tx.has({
    name: 'webhooks.replies.is_sending_to',
    text: `select from webhooks.parts p
           where p.tenant_id = $1 and p.bot_id = $2 and p.platform_chat_id = any ($3::text[]) and p.state = 'sending'`,
    values: [tenantId, botId, chatKeys],
  });
}
