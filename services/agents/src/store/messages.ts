import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, desc, eq, gt, inArray, lt, ne } from '@botyard/shared/db/drizzle';
import type { PageRequest } from '@botyard/shared/http/page';
import { conversations, messages, turns } from './schema.ts';

export type MessageRow = typeof messages.$inferSelect;
export type ConversationRow = typeof conversations.$inferSelect;

interface ConversationKey {
  tenantId: string;
  conversationId: string;
}

const ofConversation = ({ tenantId, conversationId }: ConversationKey) =>
  and(eq(messages.tenantId, tenantId), eq(messages.conversationId, conversationId));

const mostQueued = 50;

/** What waits for an answer, in order; what came late, after its place was passed, is among it. */
export async function listQueued(tx: TenantTx, key: ConversationKey): Promise<MessageRow[]> {
  return await tx.db
    .select()
    .from(messages)
    .where(and(ofConversation(key), eq(messages.direction, 'in'), eq(messages.status, 'queued')))
    .orderBy(asc(messages.seq))
    .limit(mostQueued);
}

/** What was said before and still counts as context: the newest first. */
export async function listContext(
  tx: TenantTx,
  key: ConversationKey,
  window: { from: Date | null; limit: number },
): Promise<MessageRow[]> {
  return await tx.db
    .select()
    .from(messages)
    .where(
      and(
        ofConversation(key),
        inArray(messages.status, ['answered', 'sending', 'sent']),
        ne(messages.text, ''),
        window.from ? gt(messages.createdAt, window.from) : undefined,
      ),
    )
    .orderBy(desc(messages.messageId))
    .limit(window.limit);
}

export async function saveStatus(
  tx: TenantTx,
  tenantId: string,
  messageIds: readonly string[],
  change: { status: MessageRow['status']; agentId?: string | null; lastError?: string },
): Promise<void> {
  await tx.db
    .update(messages)
    .set(change)
    .where(and(eq(messages.tenantId, tenantId), inArray(messages.messageId, [...messageIds])));
}

export async function insertReply(
  tx: TenantTx,
  reply: ConversationKey & { messageId: string; seq: number; text: string; agentId: string | null },
): Promise<void> {
  await tx.db
    .insert(messages)
    .values({ ...reply, direction: 'out', content: 'text', status: 'sending', receivedAt: new Date() });
}

export async function insertTurn(tx: TenantTx, turn: typeof turns.$inferInsert): Promise<void> {
  await tx.db.insert(turns).values(turn);
}

/** Chats, those that began last first, one more than the page's limit. */
export async function listConversations(
  tx: TenantTx,
  tenantId: string,
  page: PageRequest & { botId?: string | undefined },
): Promise<ConversationRow[]> {
  return await tx.db
    .select()
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        page.botId ? eq(conversations.botId, page.botId) : undefined,
        page.before ? lt(conversations.chatId, page.before) : undefined,
      ),
    )
    .orderBy(desc(conversations.chatId))
    .limit(page.limit + 1);
}

export async function getConversationByChat(
  tx: TenantTx,
  tenantId: string,
  chatId: string,
): Promise<ConversationRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.chatId, chatId)));
  return row;
}

export async function listMessages(
  tx: TenantTx,
  key: ConversationKey,
  page: PageRequest,
): Promise<MessageRow[]> {
  return await tx.db
    .select()
    .from(messages)
    .where(and(ofConversation(key), page.before ? lt(messages.messageId, page.before) : undefined))
    .orderBy(desc(messages.messageId))
    .limit(page.limit + 1);
}
