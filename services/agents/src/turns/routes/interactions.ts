import type { interactionsRouter } from '@botyard/contracts/http/interactions';
import { pageOf } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { getMessage, listMessages, listTopics } from '../../conversations/store/interactions.ts';
import {
  type ChatRow,
  getConversationByChat,
  listConversations,
  type MessageRow,
} from '../../conversations/store/messages.ts';
import type { Deps } from '../../deps.ts';
import { replayChat, replayDeadLetter } from '../domain/replay.ts';
import { toChat, toDeadLetter, toMessage } from '../domain/shown.ts';
import {
  dropDeadLetter,
  getMessageInChat,
  listDeadLetters,
  listUndelivered,
  type MessageInChat,
} from '../store/dead-letters.ts';

const messageId = (row: MessageRow) => row.messageId;

export const interactionsHandlers: Handlers<typeof interactionsRouter, Deps> = {
  listChats: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      pageOf(await listConversations(tx, tenantId, query), query, toChat, ({ chatId }) => chatId),
    ),

  getChat: ({ tenantId, params: { chatId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => toChat(await requireChat(tx, tenantId, chatId))),

  listMessages: ({ tenantId, params, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const { conversationId, chatId } = await requireChat(tx, tenantId, params.chatId);
      const rows = await listMessages(tx, { tenantId, conversationIds: [conversationId] }, query);
      return pageOf(rows, query, (row) => toMessage(row, chatId), messageId);
    }),

  listChannelMessages: ({ tenantId, params, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const topics = await listTopics(tx, await requireChat(tx, tenantId, params.chatId));
      const chatIds = new Map(topics.map(({ conversationId, chatId }) => [conversationId, chatId]));
      const rows = await listMessages(tx, { tenantId, conversationIds: [...chatIds.keys()] }, query);
      return pageOf(rows, query, (row) => toMessage(row, chatIds.get(row.conversationId)!), messageId);
    }),

  getMessage: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const row = await getMessage(tx, tenantId, params.messageId);
      if (!row) throw notFound('message');
      return toDetail(row);
    }),

  listUndeliveredReplies: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listUndelivered(tx, tenantId, query);
      return pageOf(rows, query, toUndelivered, ({ message }) => message.messageId);
    }),

  listDeadLetters: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listDeadLetters(tx, tenantId, query);
      return pageOf(rows, query, toDeadLetter, ({ message }) => message.messageId);
    }),

  getDeadLetter: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const found = await getMessageInChat(tx, tenantId, params.messageId);
      if (found?.message.status !== 'dead') throw notFound('dead message');
      return toDeadLetter(found);
    }),

  replayDeadLetter: async ({ tenantId, params }, deps) => {
    const { message, conversation } = await replayDeadLetter(deps, tenantId, params.messageId);
    return toMessage(message, conversation.chatId);
  },

  dropDeadLetter: async ({ tenantId, params }, { database }) => {
    const isDropped = await withTenant(database, [tenantId], (tx) =>
      dropDeadLetter(tx, tenantId, params.messageId),
    );
    if (!isDropped) throw notFound('dead message');
  },

  replayChat: async ({ tenantId, params }, deps) => {
    const replayed = await replayChat(deps, tenantId, params.chatId);
    return replayed.map(({ message, conversation }) => toMessage(message, conversation.chatId));
  },
};

async function requireChat(tx: TenantTx, tenantId: string, chatId: string): Promise<ChatRow> {
  const row = await getConversationByChat(tx, tenantId, chatId);
  if (!row) throw notFound('chat');
  return row;
}

const toUndelivered = ({ message, conversation }: MessageInChat) => ({
  messageId: message.messageId,
  chatId: conversation.chatId,
  botId: conversation.botId,
  text: message.text,
  status: message.status as 'failed' | 'uncertain',
  reason: message.lastError ?? 'the platform gave no reason',
  createdAt: message.createdAt.toISOString(),
});

const toDetail = (row: MessageRow & { chatId: string }) => ({
  ...toMessage(row, row.chatId),
  seq: row.seq,
  sender: row.sender,
  receivedAt: row.receivedAt.toISOString(),
  platformMessageIds:
    row.delivery?.platformMessageIds ?? (row.platformMessageId ? [row.platformMessageId] : []),
  isUncertain: row.delivery?.isUncertain ?? false,
  deliveredAt: row.delivery?.deliveredAt ?? null,
});
