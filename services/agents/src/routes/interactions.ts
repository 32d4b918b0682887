import type { interactionsRouter } from '@botyard/shared/contracts/interactions';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { pageOf } from '@botyard/shared/http/page';
import type { Deps } from '../deps.ts';
import {
  type ChatRow,
  getConversationByChat,
  listConversations,
  listMessages,
  type MessageRow,
} from '../store/messages.ts';

export const interactionsHandlers: Handlers<typeof interactionsRouter, Deps> = {
  listChats: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listConversations(tx, tenantId, query), query, toChat, ({ chatId }) => chatId),
    ),

  listMessages: ({ tenantId, params, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const conversation = await getConversationByChat(tx, tenantId, params.chatId);
      if (!conversation) throw notFound('chat');
      const rows = await listMessages(tx, conversation, query);
      return pageOf(
        rows,
        query,
        (row) => toMessage(row, conversation.chatId),
        ({ messageId }) => messageId,
      );
    }),
};

const toChat = (row: ChatRow) => ({
  chatId: row.chatId,
  botId: row.botId,
  platform: row.platform,
  title: row.place.title,
  kind: row.place.kind,
  state: row.state ?? ('active' as const),
  ...(row.state === 'blocked' && row.blockedReason ? { blockedReason: row.blockedReason } : {}),
  createdAt: row.createdAt.toISOString(),
  lastMessageAt: row.lastMessageAt.toISOString(),
});

const toMessage = (row: MessageRow, chatId: string) => ({
  messageId: row.messageId,
  chatId,
  direction: row.direction,
  text: row.text,
  agentId: row.agentId,
  status: row.status,
  ...(row.refusal === null ? {} : { refusal: row.refusal }),
  ...(row.attachment === null ? {} : { attachment: row.attachment }),
  ...(row.editedAt === null ? {} : { editedAt: row.editedAt.toISOString() }),
  createdAt: row.createdAt.toISOString(),
});
