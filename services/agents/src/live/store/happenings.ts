import type { DeletedMessage, EditedMessage } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, inArray, type SQL, sql } from '@botyard/shared/db/drizzle';
import { type ChatRow, getConversationByChat } from '../../conversations/store/chats.ts';
import { maxMessagesBack } from '../../conversations/store/edits.ts';
import type { MessageRow } from '../../conversations/store/messages.ts';
import { conversationOf } from '../../store/conversation-of.ts';
import { conversations, messages } from '../../store/schema.ts';

/** A forum may have many topics, each of which is a chat. */
const maxChats = 50;

/** A message with its chat's identifier. */
export type MessageInChat = MessageRow & { chatId: string };

/** An incoming message by its position in its conversation. */
export const getMessageByPlace = (
  tx: TenantTx,
  tenantId: string,
  { conversationId, seq }: { conversationId: string; seq: number },
) => getIncoming(tx, and(isIn(tenantId, conversationId), eq(messages.seq, seq)));

/** An incoming message that can still be edited, by its identifier on the platform. */
export const getMessageOfPlatform = (
  tx: TenantTx,
  tenantId: string,
  { conversationId, chat, platformMessageId }: EditedMessage,
) =>
  getIncoming(
    tx,
    and(
      isIn(tenantId, conversationId),
      eq(messages.platformChatId, chat.platformChatId),
      eq(messages.platformMessageId, platformMessageId),
      sql`${messages.seq} > ${conversations.lastSeq} - ${maxMessagesBack}::int`,
    ),
  );

const isIn = (tenantId: string, conversationId: string) =>
  and(eq(messages.tenantId, tenantId), eq(messages.conversationId, conversationId));

/** The messages that a deleted one arrived as. */
export const listMessagesOfPlatform = (
  tx: TenantTx,
  tenantId: string,
  { conversationId, platformMessageIds }: DeletedMessage,
) =>
  listIncoming(
    tx,
    and(isIn(tenantId, conversationId), inArray(messages.platformMessageId, platformMessageIds)),
    platformMessageIds.length,
  );

const getIncoming = async (tx: TenantTx, isWanted: SQL | undefined): Promise<MessageInChat | undefined> =>
  (await listIncoming(tx, isWanted, 1))[0];

async function listIncoming(
  tx: TenantTx,
  isWanted: SQL | undefined,
  limit: number,
): Promise<MessageInChat[]> {
  const rows = await tx.db
    .select({ message: messages, chatId: conversations.chatId })
    .from(messages)
    .innerJoin(conversations, conversationOf(messages))
    .where(and(isWanted, eq(messages.direction, 'in')))
    .orderBy(desc(messages.messageId))
    .limit(limit);
  return rows.map(({ message, chatId }) => ({ ...message, chatId }));
}

/** The chats of a bot that belong to one chat on the platform. */
export async function listChatsAtPlatform(
  tx: TenantTx,
  tenantId: string,
  { botId, platform, platformChatIds }: Pick<ChatRow, 'botId' | 'platform'> & { platformChatIds: string[] },
): Promise<ChatRow[]> {
  const chatIds = await tx.db
    .select({ chatId: conversations.chatId })
    .from(conversations)
    .where(
      and(
        eq(conversations.tenantId, tenantId),
        eq(conversations.botId, botId),
        eq(conversations.platform, platform),
        inArray(sql`${conversations.place} ->> 'platformChatId'`, platformChatIds),
      ),
    )
    .limit(maxChats);
  const chats = await Promise.all(chatIds.map(({ chatId }) => getConversationByChat(tx, tenantId, chatId)));
  return chats.filter((chat) => chat !== undefined);
}
