import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, desc, eq, gte, inArray, lt, type SQL, sql } from '@botyard/shared/db/drizzle';
import { idSpan } from '../../conversations/store/id-span.ts';
import type { ConversationRow, MessageRow } from '../../conversations/store/messages.ts';
import { conversationOf } from '../../store/conversation-of.ts';
import { conversations, messages, turns } from '../../store/schema.ts';

export type TurnRow = typeof turns.$inferSelect;

/** A turn with its chat, and its reply with the delivery's result. The reply is `null` when it was erased. */
export interface TracedTurn {
  turn: TurnRow;
  chat: Pick<ConversationRow, 'chatId' | 'botId'>;
  reply: MessageRow | null;
}

interface TraceFilter extends PageRequest {
  botId?: string | undefined;
  /** The bots that a responder is limited to. */
  botIds?: readonly string[] | null;
  chatId?: string | undefined;
  agentId?: string | undefined;
  messageId?: string | undefined;
  outcome?: TurnRow['outcome'] | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Turns, most recently ended first, one more than the page's limit. */
export async function listTurns(
  tx: TenantTx,
  tenantId: string,
  { limit, ...filter }: TraceFilter,
): Promise<TracedTurn[]> {
  return await traced(tx, and(eq(turns.tenantId, tenantId), ...conditionsOf(tenantId, filter))).limit(
    limit + 1,
  );
}

export async function getTurn(
  tx: TenantTx,
  tenantId: string,
  turnId: string,
): Promise<TracedTurn | undefined> {
  const [row] = await traced(tx, and(eq(turns.tenantId, tenantId), eq(turns.turnId, turnId))).limit(1);
  return row;
}

function traced(tx: TenantTx, condition: SQL | undefined) {
  const { chatId, botId } = conversations;
  return tx.db
    .select({ turn: turns, chat: { chatId, botId }, reply: messages })
    .from(turns)
    .innerJoin(conversations, conversationOf(turns))
    .leftJoin(messages, and(eq(messages.tenantId, turns.tenantId), eq(messages.messageId, turns.replyId)))
    .where(condition)
    .orderBy(desc(turns.turnId))
    .$dynamic();
}

function conditionsOf(tenantId: string, filter: Omit<TraceFilter, 'limit'>): (SQL | undefined)[] {
  const { botId, botIds, chatId, agentId, messageId, outcome, from, to, before } = filter;
  const { first, last } = idSpan({ from, to });
  return [
    botId ? eq(conversations.botId, botId) : undefined,
    botIds ? inArray(conversations.botId, [...botIds]) : undefined,
    chatId ? eq(turns.conversationId, conversationOfChat(tenantId, chatId)) : undefined,
    agentId ? eq(turns.agentId, agentId) : undefined,
    messageId ? isAbout(tenantId, messageId) : undefined,
    outcome ? eq(turns.outcome, outcome) : undefined,
    first ? gte(turns.turnId, first) : undefined,
    last ? lt(turns.turnId, last) : undefined,
    from ? gte(turns.createdAt, from) : undefined,
    to ? lt(turns.createdAt, to) : undefined,
    before ? lt(turns.turnId, before) : undefined,
  ];
}

const conversationOfChat = (tenantId: string, chatId: string): SQL =>
  sql`(select c.conversation_id from agents.conversations c where c.tenant_id = ${tenantId} and c.chat_id = ${chatId})`;

/** Finds the conversation first, because it has few turns. */
const isAbout = (tenantId: string, messageId: string): SQL =>
  sql`${turns.conversationId} = (select m.conversation_id from agents.messages m
      where m.tenant_id = ${tenantId} and m.message_id = ${messageId})
    and (${turns.replyId} = ${messageId} or ${messageId} = any (${turns.messageIds}) or
      ${turns.deliveries} @> jsonb_build_array(jsonb_build_object('messageId', ${messageId}::text)))`;

/** The origins of messages, in the messages' order. */
export async function listOrigins(
  tx: TenantTx,
  tenantId: string,
  messageIds: readonly string[],
): Promise<Pick<MessageRow, 'messageId' | 'deliveryId' | 'platformMessageId'>[]> {
  const { messageId, deliveryId, platformMessageId, seq } = messages;
  return await tx.db
    .select({ messageId, deliveryId, platformMessageId })
    .from(messages)
    .where(and(eq(messages.tenantId, tenantId), inArray(messageId, [...messageIds])))
    .orderBy(asc(seq));
}
