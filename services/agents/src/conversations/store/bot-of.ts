import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { conversationOf } from '../../store/conversation-of.ts';
import { conversations, messages } from '../../store/schema.ts';

const { botId } = conversations;

/** The bot of a chat; `undefined` if there is no such chat. */
export async function getBotOfChat(
  tx: TenantTx,
  tenantId: string,
  chatId: string,
): Promise<string | undefined> {
  const [row] = await tx.db
    .select({ botId })
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.chatId, chatId)));
  return row?.botId;
}

/** The bot of a message's chat; `undefined` if there is no such message. */
export async function getBotOfMessage(
  tx: TenantTx,
  tenantId: string,
  messageId: string,
): Promise<string | undefined> {
  const [row] = await tx.db
    .select({ botId })
    .from(messages)
    .innerJoin(conversations, conversationOf(messages))
    .where(and(eq(messages.tenantId, tenantId), eq(messages.messageId, messageId)));
  return row?.botId;
}
