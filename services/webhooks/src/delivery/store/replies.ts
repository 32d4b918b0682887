import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, getTableColumns, sql } from '@botyard/shared/db/drizzle';
import { boolean, orNull, text, texts } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, type Payload, parts, replies, replyTurns } from '../../store/schema.ts';

type ReplyRow = typeof replies.$inferSelect;
const { state, createdAt, ...newReplyColumns } = getTableColumns(replies);
const newReply = columns(newReplyColumns);
export type NewReply = RowOf<typeof newReply>;
export type NewPart = Pick<
  typeof parts.$inferInsert,
  'tenantId' | 'partId' | 'botId' | 'platformChatId' | 'threadId'
> &
  Pick<ReplyRow, 'replyId' | 'integrationId' | 'platform'> & { payload: Payload };

/** The columns that processes of the previous release send from. */
export const columnsOfPayload = (payload: string): string =>
  `coalesce(${payload} ->> 'html', ''), coalesce(${payload} ->> 'text', '')`;

export interface Conversation {
  tenantId: string;
  conversationId: string;
}

const turn = columns({ conversationId: replyTurns.conversationId, nextReplySeq: replyTurns.nextReplySeq });
const lockText = typedSql`insert into webhooks.reply_turns as r (tenant_id, conversation_id)
  select distinct t, c from unnest($1::uuid[], $2::uuid[]) as u (t, c) order by 1, 2
  on conflict (tenant_id, conversation_id) do update set next_reply_seq = r.next_reply_seq
  returning ${turn}`;

/**
 * Locks the replies of these conversations, always in the same order. Returns the position of the next reply that may
 * be sent, for each conversation.
 */
export async function lockNextReplySeqs(
  tx: TenantTx,
  conversations: readonly Conversation[],
): Promise<Map<string, number>> {
  const rows = await tx.query({
    name: 'webhooks.reply_turns.lock',
    text: lockText,
    values: columnsOf(conversations),
  });
  return new Map(rows.map(({ conversationId, nextReplySeq }) => [conversationId, nextReplySeq]));
}

const columnsOf = (conversations: readonly Conversation[]) => [
  conversations.map(({ tenantId }) => tenantId),
  conversations.map(({ conversationId }) => conversationId),
];

const added = unnest('added', newReplyColumns);

/**
 * Stores replies until their turn. @throws when another reply has the same position: the event then becomes a dead
 * letter, instead of a silent loss.
 */
export async function insertReplies(tx: TenantTx, newReplies: readonly NewReply[]): Promise<void> {
  await tx.query({
    name: 'webhooks.replies.insert',
    text: `insert into webhooks.replies (${added.columns}, state)
           select ${added.columns}, 'waiting' from ${added}
           order by tenant_id, conversation_id, reply_seq
           on conflict (tenant_id, reply_id) do nothing`,
    values: added.values(newReplies),
  });
}

const waitingText = typedSql`select ${newReply} from webhooks.replies
  where tenant_id = any ($1::uuid[]) and conversation_id = any ($2::uuid[]) and state = 'waiting'
  order by conversation_id, reply_seq`;

/** Pending replies in these conversations, in order. */
export async function listWaitingReplies(
  tx: TenantTx,
  conversations: readonly Conversation[],
): Promise<NewReply[]> {
  return await tx.query({
    name: 'webhooks.replies.waiting',
    text: waitingText,
    values: columnsOf(conversations),
  });
}

const advanced = unnest('advanced', pick(replyTurns, 'tenantId', 'conversationId', 'nextReplySeq'));

export async function saveNextReplySeqs(
  tx: TenantTx,
  positions: readonly (Conversation & { nextReplySeq: number })[],
): Promise<void> {
  await tx.query({
    name: 'webhooks.reply_turns.advance',
    text: `update webhooks.reply_turns r set next_reply_seq = advanced.next_reply_seq
           from ${advanced}
           where r.tenant_id = advanced.tenant_id and r.conversation_id = advanced.conversation_id`,
    values: advanced.values(positions),
  });
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

const saved = unnest('saved', { tenantId: replies.tenantId, replyId: replies.replyId, state });

export async function saveReplyStates(
  tx: TenantTx,
  states: readonly Pick<ReplyRow, 'tenantId' | 'replyId' | 'state'>[],
): Promise<void> {
  await tx.query({
    name: 'webhooks.replies.state',
    text: `update webhooks.replies r set state = saved.state
           from ${saved}
           where r.tenant_id = saved.tenant_id and r.reply_id = saved.reply_id`,
    values: saved.values(states),
  });
}

const { tenantId, botId, platformChatId, partId, replyId, threadId, payload } = getTableColumns(parts);
const chatKey = { tenantId, botId, platformChatId };
const addedParts = unnest('added', { ...chatKey, partId, replyId, threadId, payload });
const chatOrder = 'tenant_id, bot_id, platform_chat_id';
const { integrationId, platform } = getTableColumns(chats);
const chatsOfParts = unnest('added', { ...chatKey, integrationId, platform });

/**
 * Appends parts to their chats' queues, in this order. The chats are then ready immediately, unless they have to wait.
 */
export async function queueParts(tx: TenantTx, queued: readonly NewPart[]): Promise<void> {
  await Promise.all([
    tx.query({
      name: 'webhooks.parts.insert',
      text: `insert into webhooks.parts (${addedParts.columns}, html, plain, state)
             select ${addedParts.columns}, ${columnsOfPayload('payload')}, 'queued'
             from ${addedParts.numbered}
             order by ordinality`,
      values: addedParts.values(queued.map((part) => ({ threadId: null, ...part }))),
    }),
    tx.query({
      name: 'webhooks.chats.queue',
      text: `insert into webhooks.chats as chat (${chatsOfParts.columns}, ready_at)
             select distinct on (${chatOrder}) ${chatsOfParts.columns}, now()
             from ${chatsOfParts.numbered}
             order by ${chatOrder}, ordinality desc
             on conflict (${chatOrder}) do update set
               ready_at = coalesce(chat.ready_at, now()), integration_id = excluded.integration_id`,
      values: chatsOfParts.values(queued),
    }),
  ]);
}

const r = alias(replies, 'r');
const outcome = columns({
  ...pick(r, 'tenantId', 'replyId', 'botId', 'conversationId', 'state'),
  isDone: boolean("bool_and(p.state in ('sent', 'failed'))"),
  hasFailed: boolean("bool_or(p.state = 'failed')"),
  /**
   * Whether a part may have arrived twice or, for a failed reply, whether every part that was given up may have
   * arrived.
   */
  isUncertain: boolean("bool_or(p.is_uncertain) and bool_and(p.state <> 'failed' or p.is_uncertain)"),
  platformMessageIds: texts(`coalesce(array_agg(p.platform_message_id order by p.position)
    filter (where p.platform_message_id is not null), '{}')`),
  lastError: orNull(
    text('(array_agg(p.last_error order by p.position) filter (where p.last_error is not null))[1]'),
  ),
});
/** The outcome of a reply's parts. */
export type ReplyOutcome = RowOf<typeof outcome>;

const outcomesText = typedSql`select ${outcome}
  from webhooks.replies r join webhooks.parts p on p.tenant_id = r.tenant_id and p.reply_id = r.reply_id
  where r.tenant_id = any ($1::uuid[]) and r.reply_id = any ($2::uuid[])
  group by r.tenant_id, r.reply_id`;

export async function listReplyOutcomes(
  tx: TenantTx,
  of: readonly Pick<ReplyRow, 'tenantId' | 'replyId'>[],
): Promise<ReplyOutcome[]> {
  return await tx.query({
    name: 'webhooks.replies.outcomes',
    text: outcomesText,
    values: [of.map(({ tenantId }) => tenantId), of.map(({ replyId }) => replyId)],
  });
}

const stopText = typedSql`update webhooks.parts p set state = 'failed', last_error = $3 from webhooks.replies r
  where r.tenant_id = $1 and r.conversation_id = $2 and r.state = 'queued'
    and p.tenant_id = r.tenant_id and p.reply_id = r.reply_id and p.state = 'queued'
  returning ${columns({ replyId: r.replyId })}`;

/** Gives up the pending parts of a conversation's replies. Sends in progress are not recalled. Returns the replies. */
export async function failQueuedPartsOf(
  tx: TenantTx,
  { tenantId, conversationId }: Conversation,
  reason: string,
): Promise<string[]> {
  const rows = await tx.query({
    name: 'webhooks.parts.stop',
    text: stopText,
    values: [tenantId, conversationId, reason],
  });
  return [...new Set(rows.map(({ replyId }) => replyId))];
}

const endText = typedSql`update webhooks.parts set state = 'failed', last_error = $3
  where tenant_id = $1 and reply_id = $2 and state = 'queued'
  returning ${columns({ partId: parts.partId })}`;

/** Gives up the parts of a reply that are not sent yet. */
export async function failRestOfReply(
  tx: TenantTx,
  { tenantId, replyId, reason }: { tenantId: string; replyId: string; reason: string },
): Promise<void> {
  await tx.query({ name: 'webhooks.parts.end_reply', text: endText, values: [tenantId, replyId, reason] });
}

/** Notes a wait that the platform asked for, for all parts that wait in its chat. */
export async function addWait(
  tx: TenantTx,
  { tenantId, botId, platformChatId }: { tenantId: string; botId: string; platformChatId: string },
  waitMs: number,
): Promise<void> {
  await tx.query({
    name: 'webhooks.parts.wait',
    text: `update webhooks.parts set waited_ms = waited_ms + $4
           where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 and state in ('queued', 'sending')`,
    values: [tenantId, botId, platformChatId, Math.round(waitMs)],
  });
}

const giveUpText = typedSql`update webhooks.parts set state = 'failed', last_error = $4
  where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3
    and state in ('queued', 'sending') and state = any ($5::text[])
  returning ${columns({ replyId: parts.replyId })}`;

/** Gives up the parts of a chat in these states. Returns the replies that they belong to. */
export async function failWaitingParts(
  tx: TenantTx,
  chat: { tenantId: string; botId: string; platformChatId: string },
  { reason, states }: { reason: string; states: readonly ('queued' | 'sending')[] },
): Promise<string[]> {
  const rows = await tx.query({
    name: 'webhooks.parts.give_up',
    text: giveUpText,
    values: [chat.tenantId, chat.botId, chat.platformChatId, reason, states],
  });
  return [...new Set(rows.flatMap(({ replyId }) => replyId ?? []))];
}
