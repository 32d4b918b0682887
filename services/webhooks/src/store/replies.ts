import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, asc, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { chats, parts, replies } from './schema.ts';

export type ReplyRow = typeof replies.$inferSelect;
export type NewReply = Omit<ReplyRow, 'state' | 'createdAt'>;
export type NewPart = Pick<
  typeof parts.$inferInsert,
  'tenantId' | 'partId' | 'replyId' | 'botId' | 'platformChatId' | 'threadId' | 'html' | 'plain'
>;

export interface Conversation {
  tenantId: string;
  conversationId: string;
}

/** Keeps a reply until its turn comes. @throws when another reply has its place: a dead letter, not a silent loss. */
export async function insertReply(tx: TenantTx, reply: NewReply): Promise<void> {
  await tx.db
    .insert(replies)
    .values({ ...reply, state: 'waiting' })
    .onConflictDoNothing({ target: [replies.tenantId, replies.replyId] });
}

/** Locks a conversation's replies and tells the position of the next reply that may be sent in it. */
export async function lockNextReplySeq(
  tx: TenantTx,
  { tenantId, conversationId }: Conversation,
): Promise<number> {
  const [row] = await tx.query<{ next_reply_seq: string }>({
    name: 'webhooks.reply_turns.lock',
    text: `insert into webhooks.reply_turns as r (tenant_id, conversation_id) values ($1, $2)
           on conflict (tenant_id, conversation_id) do update set next_reply_seq = r.next_reply_seq
           returning next_reply_seq`,
    values: [tenantId, conversationId],
  });
  return Number(row?.next_reply_seq ?? 1);
}

export async function saveNextReplySeq(
  tx: TenantTx,
  conversation: Conversation,
  nextReplySeq: number,
): Promise<void> {
  await tx.query({
    name: 'webhooks.reply_turns.advance',
    text: 'update webhooks.reply_turns set next_reply_seq = $3 where tenant_id = $1 and conversation_id = $2',
    values: [conversation.tenantId, conversation.conversationId, nextReplySeq],
  });
}

/** Replies that wait in a conversation, in their order. */
export async function listWaitingReplies(
  tx: TenantTx,
  { tenantId, conversationId }: Conversation,
): Promise<ReplyRow[]> {
  return await tx.db
    .select()
    .from(replies)
    .where(
      and(
        eq(replies.tenantId, tenantId),
        eq(replies.conversationId, conversationId),
        eq(replies.state, 'waiting'),
      ),
    )
    .orderBy(asc(replies.replySeq));
}

/** Conversations in which a reply has waited for 3 minutes: longer than all tries of an event before it take. */
export async function listOverdueConversations(tx: PlatformTx): Promise<Conversation[]> {
  return await tx.db
    .selectDistinct({ tenantId: replies.tenantId, conversationId: replies.conversationId })
    .from(replies)
    .where(and(eq(replies.state, 'waiting'), sql`${replies.createdAt} < now() - interval '3 minutes'`))
    .limit(100);
}

export async function getReply(
  tx: TenantTx,
  tenantId: string,
  replyId: string,
): Promise<ReplyRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(replies)
    .where(and(eq(replies.tenantId, tenantId), eq(replies.replyId, replyId)));
  return row;
}

export async function saveReplyState(
  tx: TenantTx,
  reply: { tenantId: string; replyId: string },
  state: ReplyRow['state'],
): Promise<void> {
  await tx.db
    .update(replies)
    .set({ state })
    .where(and(eq(replies.tenantId, reply.tenantId), eq(replies.replyId, reply.replyId)));
}

/** Puts parts at the end of their chat's queue; the chat is then ready at once, unless it was told to wait. */
export async function queueParts(
  tx: TenantTx,
  chat: { tenantId: string; botId: string; platformChatId: string; integrationId: string },
  newParts: readonly NewPart[],
): Promise<void> {
  await tx.db.insert(parts).values(newParts.map((part) => ({ ...part, state: 'queued' as const })));
  await tx.db
    .insert(chats)
    .values({ ...chat, readyAt: sql`now()` as unknown as Date })
    .onConflictDoUpdate({
      target: [chats.tenantId, chats.botId, chats.platformChatId],
      set: {
        readyAt: sql`coalesce(${chats.readyAt}, now())`,
        integrationId: chat.integrationId,
      },
    });
}

export interface ReplyOutcome {
  isDone: boolean;
  hasFailed: boolean;
  isUncertain: boolean;
  platformMessageIds: string[];
  lastError: string | null;
}

/** What has become of a reply's parts. */
export async function getReplyOutcome(
  tx: TenantTx,
  tenantId: string,
  replyId: string,
): Promise<ReplyOutcome> {
  const rows = await tx.db
    .select()
    .from(parts)
    .where(and(eq(parts.tenantId, tenantId), eq(parts.replyId, replyId)))
    .orderBy(asc(parts.position));
  return {
    isDone: rows.every(({ state }) => state === 'sent' || state === 'failed'),
    hasFailed: rows.some(({ state }) => state === 'failed'),
    isUncertain: rows.some(({ isUncertain }) => isUncertain),
    platformMessageIds: rows.flatMap(({ platformMessageId }) => platformMessageId ?? []),
    lastError: rows.find(({ lastError }) => lastError !== null)?.lastError ?? null,
  };
}

/** Gives up what waits of a conversation's replies; what is on its way is not called back. Returns the replies. */
export async function failQueuedPartsOf(
  tx: TenantTx,
  { tenantId, conversationId }: Conversation,
  reason: string,
): Promise<string[]> {
  const rows = await tx.query<{ reply_id: string }>({
    name: 'webhooks.parts.stop',
    text: `update webhooks.parts p set state = 'failed', last_error = $3 from webhooks.replies r
           where r.tenant_id = $1 and r.conversation_id = $2 and r.state = 'queued'
             and p.tenant_id = r.tenant_id and p.reply_id = r.reply_id and p.state = 'queued'
           returning p.reply_id`,
    values: [tenantId, conversationId, reason],
  });
  return [...new Set(rows.map((row) => row.reply_id))];
}

/** Gives up what still waits in a chat, in these states; returns the replies that it belonged to. */
export async function failWaitingParts(
  tx: TenantTx,
  chat: { tenantId: string; botId: string; platformChatId: string },
  { reason, states }: { reason: string; states: ('queued' | 'sending')[] },
): Promise<string[]> {
  const rows = await tx.db
    .update(parts)
    .set({ state: 'failed', lastError: reason })
    .where(
      and(
        eq(parts.tenantId, chat.tenantId),
        eq(parts.botId, chat.botId),
        eq(parts.platformChatId, chat.platformChatId),
        inArray(parts.state, states),
      ),
    )
    .returning({ replyId: parts.replyId });
  return [...new Set(rows.map(({ replyId }) => replyId))];
}
