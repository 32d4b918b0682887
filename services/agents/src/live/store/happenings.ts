import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { type ChatRow, getConversationByChat } from '../../conversations/store/chats.ts';
import type { MessageRow } from '../../conversations/store/messages.ts';
import { conversations, messages } from '../../store/schema.ts';

/** A forum may have many topics, each a chat of its own. */
const maxChats = 50;

/** A message with the name of its chat. */
export type MessageInChat = MessageRow & { chatId: string };

/** An incoming message, by its place in its conversation. */
export async function getMessageByPlace(
  tx: TenantTx,
  tenantId: string,
  { conversationId, seq }: { conversationId: string; seq: number },
): Promise<MessageInChat | undefined> {
  const [row] = await tx.db
    .select({ message: messages, chatId: conversations.chatId })
    .from(messages)
    .innerJoin(conversations, inSameConversation)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversationId),
        eq(messages.direction, 'in'),
        eq(messages.seq, seq),
      ),
    );
  return row && { ...row.message, chatId: row.chatId };
}

const inSameConversation = and(
  eq(conversations.tenantId, messages.tenantId),
  eq(conversations.conversationId, messages.conversationId),
);

/** The chats of a bot that are one chat on the platform. */
export async function listChatsAtPlatform(
  tx: TenantTx,
  tenantId: string,
  { botId, platformChatIds }: { botId: string; platformChatIds: string[] },
): Promise<ChatRow[]> {
  const found = await tx.db
    .select({ chatId: conversations.chatId })
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        eq(conversations.botId, botId),
        inArray(sql`${conversations.place} ->> 'platformChatId'`, platformChatIds),
      ),
    )
    .limit(maxChats);
  const chats = await Promise.all(found.map(({ chatId }) => getConversationByChat(tx, tenantId, chatId)));
  return chats.filter((chat) => chat !== undefined);
}
