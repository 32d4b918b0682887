import type { interactionsRouter } from '@botyard/contracts/http/interactions';
import { pageOf } from '@botyard/contracts/http/page';
import { sortedPageOf } from '@botyard/contracts/http/sorted-page';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import { findHits } from '../../conversations/domain/search-hits.ts';
import { toChat, toDeadLetter, toMessage } from '../../conversations/domain/views.ts';
import { withinBots } from '../../conversations/domain/within-bots.ts';
import {
  type ChatRow,
  getConversationByChat,
  listChats,
  placeOfChat,
} from '../../conversations/store/chats.ts';
import {
  getMessage,
  getMessageInChat,
  listMessages,
  listTopics,
  type MessageInChat,
  type WrittenRow,
} from '../../conversations/store/interactions.ts';
import type { MessageRow } from '../../conversations/store/messages.ts';
import { updateChat } from '../../inbox/domain/update-chat.ts';
import { inboxHandlers } from '../../inbox/routes/inbox.ts';
import { downloadFile, findFilesShown } from '../../media/domain/files-of-messages.ts';
import { handBackChat, takeOverChat } from '../../takeover/domain/take-over.ts';
import { listChatTemplates, writeTextOrTemplate } from '../../takeover/domain/templates.ts';
import { writeStaffFiles } from '../../takeover/domain/write-files.ts';
import { staffNames } from '../../takeover/domain/write-message.ts';
import type { Deps } from '../deps.ts';
import { replayChat, replayDeadLetter, resendReply } from '../domain/replay.ts';
import { dropDeadLetter, listDeadLetters } from '../store/dead-letters.ts';
import { dismissReply, listUndelivered } from '../store/undelivered.ts';

const messageId = (row: MessageRow) => row.messageId;

const handlers: Handlers<typeof interactionsRouter, Deps> = {
  ...inboxHandlers,

  listChats: async ({ tenantId, query, botIds, caller: { userId } }, deps) => {
    const { q, peopleOfChatId } = query;
    const { rows, hits } = await withTenant(deps.database, [tenantId], async (tx) => {
      const peopleOf = peopleOfChatId && (await requireWithin(tx, { tenantId, botIds }, peopleOfChatId));
      const page = await listChats(tx, { tenantId, userId, botIds }, { ...query, peopleOf });
      const conversationIds = page.map(({ conversationId }) => conversationId);
      return { rows: page, hits: q ? await findHits(tx, { tenantId, conversationIds, q }) : undefined };
    });
    const names = await staffNames(deps, tenantId, rows.flatMap(staffOf));
    const toListed = (row: ChatRow) => ({ ...toChat(row, names), hit: hits?.get(row.conversationId) });
    return sortedPageOf(rows, query, toListed, placeOfChat);
  },

  getChat: ({ tenantId, params: { chatId }, caller: { userId } }, deps) =>
    readChat(deps, { tenantId, chatId, userId }),

  updateChat: async ({ tenantId, params: { chatId }, body, caller: { userId } }, deps) => {
    await updateChat(deps, { tenantId, chatId, userId }, body);
    return await readChat(deps, { tenantId, chatId, userId });
  },

  takeOverChat: async ({ tenantId, params: { chatId }, body, caller }, deps) => {
    const { assigneeUserId = caller.userId } = body;
    await takeOverChat(deps, { tenantId, chatId }, { callerUserId: caller.userId, assigneeUserId });
    return await readChat(deps, { tenantId, chatId, userId: caller.userId });
  },

  handBackChat: async ({ tenantId, params: { chatId }, caller: { userId } }, deps) => {
    await handBackChat(deps, { tenantId, chatId, userId });
    return await readChat(deps, { tenantId, chatId, userId });
  },

  listChatTemplates: async ({ tenantId, params: { chatId }, query }, deps) => {
    const chat = await withTenant(deps.database, [tenantId], (tx) => requireChat(tx, tenantId, chatId));
    return await listChatTemplates(deps, chat, query);
  },

  writeMessage: async ({ tenantId, params: { chatId }, body, form, caller: { userId } }, deps) => {
    const to = { tenantId, chatId, userId };
    if (!form) return { messageId: await writeTextOrTemplate(deps, to, body), state: 'sending' };
    const messageIds = await writeStaffFiles(deps, to, form);
    return { messageId: messageIds[0]!, messageIds, state: 'sending' };
  },

  listMessages: async ({ tenantId, params, query }, deps) => {
    const { rows, chatId } = await withTenant(deps.database, [tenantId], async (tx) => {
      const chat = await requireChat(tx, tenantId, params.chatId);
      const conversationIds = [chat.conversationId];
      return { rows: await listMessages(tx, { tenantId, conversationIds }, query), chatId: chat.chatId };
    });
    const peopleAndFiles = await knownOf(deps, tenantId, rows);
    return pageOf(rows, query, (row) => toMessage(row, chatId, peopleAndFiles), messageId);
  },

  listChannelMessages: async ({ tenantId, params, query }, deps) => {
    const { rows, chatIds } = await withTenant(deps.database, [tenantId], async (tx) => {
      const topics = await listTopics(tx, await requireChat(tx, tenantId, params.chatId));
      const chatIds = new Map(topics.map(({ conversationId, chatId }) => [conversationId, chatId]));
      const conversationIds = [...chatIds.keys()];
      return { rows: await listMessages(tx, { tenantId, conversationIds }, query), chatIds };
    });
    const peopleAndFiles = await knownOf(deps, tenantId, rows);
    return pageOf(
      rows,
      query,
      (row) => toMessage(row, chatIds.get(row.conversationId)!, peopleAndFiles),
      messageId,
    );
  },

  getMessage: async ({ tenantId, params }, deps) => {
    const row = await withTenant(deps.database, [tenantId], (tx) =>
      getMessage(tx, tenantId, params.messageId),
    );
    if (!row) throw notFound('message');
    return toDetail(row, await knownOf(deps, tenantId, [row]));
  },

  getMessageAttachment: async ({ tenantId, params }, deps) => {
    const row = await withTenant(deps.database, [tenantId], (tx) =>
      getMessage(tx, tenantId, params.messageId),
    );
    if (!row) throw notFound('message');
    return await downloadFile(deps, tenantId, row);
  },

  listUndeliveredReplies: tenantPage(listUndelivered, toUndelivered, ({ message }) => message.messageId),

  resendReply: async ({ tenantId, params }, deps) => {
    const messageId = await resendReply(deps, tenantId, params.messageId);
    const row = await withTenant(deps.database, [tenantId], (tx) => getMessage(tx, tenantId, messageId));
    if (!row) throw notFound('message');
    return toMessage(row, row.chatId, await knownOf(deps, tenantId, [row]));
  },

  dropUndeliveredReply: async ({ tenantId, params }, { database }) => {
    const isDropped = await withTenant(database, [tenantId], (tx) =>
      dismissReply(tx, tenantId, params.messageId),
    );
    if (!isDropped) throw notFound('undelivered reply');
  },

  listDeadLetters: ({ tenantId, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const rows = await listDeadLetters(tx, [tenantId], query);
      return sortedPageOf(rows, query, toDeadLetter, placeOfDeadLetter);
    }),

  listDeadLettersOfAllTenants: async ({ query, caller }, { database, log }) => {
    const { tenantId } = query;
    log.info(
      { audit: 'operator read dead letters', tenantId: tenantId ?? 'all', by: caller.userId },
      'audit',
    );
    const rows = await withPlatform(database, 'dead letters of all tenants, for an operator', (tx) =>
      listDeadLetters(tx, tenantId ? [tenantId] : null, query),
    );
    return sortedPageOf(rows, query, toTenantDeadLetter, placeOfDeadLetter);
  },

  getDeadLetter: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const deadLetter = await getMessageInChat(tx, tenantId, params.messageId);
      if (deadLetter?.message.status !== 'dead') throw notFound('dead message');
      return toDeadLetter(deadLetter);
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

export const interactionsHandlers = withinBots(handlers);

/** The chat as the user sees it. */
async function readChat(
  deps: Deps,
  { tenantId, chatId, userId }: { tenantId: string; chatId: string; userId: string },
) {
  const row = await withTenant(deps.database, [tenantId], (tx) => requireChat(tx, tenantId, chatId, userId));
  return toChat(row, await staffNames(deps, tenantId, staffOf(row)));
}

/** The users of the tenant who are named in a list's row of a chat. */
const staffOf = ({ isWithPerson, assigneeUserId, lastMessage }: ChatRow) => [
  { staffUserId: isWithPerson ? assigneeUserId : null },
  { staffUserId: lastMessage?.staffUserId ?? null },
];

/** Names and files for a list's messages, from other services. */
async function knownOf(deps: Deps, tenantId: string, rows: readonly WrittenRow[]) {
  const [names, files] = await Promise.all([
    staffNames(deps, tenantId, rows),
    findFilesShown(deps, tenantId, rows),
  ]);
  return { names, files };
}

async function requireChat(
  tx: TenantTx,
  tenantId: string,
  chatId: string,
  userId?: string,
): Promise<ChatRow> {
  const row = await getConversationByChat(tx, tenantId, chatId, userId);
  if (!row) throw notFound('chat');
  return row;
}

const placeOfDeadLetter = ({ message }: MessageInChat) => ({ id: message.messageId });

const toTenantDeadLetter = (found: MessageInChat) => ({
  tenantId: found.message.tenantId,
  ...toDeadLetter(found),
});

function toUndelivered({ message, conversation }: MessageInChat) {
  return {
    messageId: message.messageId,
    chatId: conversation.chatId,
    botId: conversation.botId,
    text: message.text,
    status: message.status as 'failed' | 'uncertain',
    reason: message.lastError ?? 'the platform stated no reason',
    createdAt: message.createdAt.toISOString(),
  };
}

const toDetail = (row: WrittenRow & { chatId: string }, known: Awaited<ReturnType<typeof knownOf>>) => ({
  ...toMessage(row, row.chatId, known),
  seq: row.seq,
  sender: row.sender,
  receivedAt: row.receivedAt.toISOString(),
  platformMessageIds:
    row.delivery?.platformMessageIds ?? (row.platformMessageId ? [row.platformMessageId] : []),
  isUncertain: row.delivery?.isUncertain ?? false,
  deliveredAt: row.delivery?.deliveredAt ?? null,
});

/** The conversation of a chat. @throws HttpError 404 also for a chat of bots that a responder doesn't answer for. */
async function requireWithin(
  tx: TenantTx,
  { tenantId, botIds }: { tenantId: string; botIds: readonly string[] | null },
  chatId: string,
): Promise<string> {
  const { botId, conversationId } = await requireChat(tx, tenantId, chatId);
  if (botIds !== null && !botIds.includes(botId)) throw notFound('chat');
  return conversationId;
}
