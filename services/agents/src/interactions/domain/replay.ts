import { findMessages } from '@botyard/contracts/events/webhook-requests';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import { getMessage, getMessageInChat, type MessageInChat } from '../../conversations/store/interactions.ts';
import { type ConversationRow, listMessagesById } from '../../conversations/store/messages.ts';
import { storeKept } from '../../intake/domain/missing-messages.ts';
import { findFileToSend } from '../../media/domain/files-of-messages.ts';
import { requireBotHandles, requireChat } from '../../takeover/domain/take-over.ts';
import { sendOut } from '../../takeover/domain/write-message.ts';
import type { Deps } from '../deps.ts';
import { isBotOff, listLostDeadLetters, requeueDeadLetters } from '../store/dead-letters.ts';
import { dismissReply, getChatOfReply, insertAgain } from '../store/undelivered.ts';

type ReplayDeps = Pick<Deps, 'database' | 'bus' | 'outbox' | 'wakeWorker'>;

/**
 * Puts a dead message back, to be answered next in its conversation (REQ-CHAT-2): before all pending messages, after
 * the running turn. It happens once, even for concurrent requests.
 * @throws HttpError 404; 409 if the message isn't dead, if its bot wouldn't answer, or if it never arrived and can't be
 * fetched; 503 if that can't be determined.
 */
export async function replayDeadLetter(
  deps: ReplayDeps,
  tenantId: string,
  messageId: string,
): Promise<MessageInChat> {
  const find = (tx: TenantTx) => getMessageInChat(tx, tenantId, messageId);
  const deadMessage = await withTenant(deps.database, [tenantId], find);
  if (!deadMessage) throw notFound('message');
  const replayed = await replay(deps, deadMessage.conversation, [messageId]);
  if (replayed.length === 0) throw refusalOf(await withTenant(deps.database, [tenantId], find));
  return (await withTenant(deps.database, [tenantId], find)) ?? deadMessage;
}

const refusalOf = (found: MessageInChat | undefined) =>
  found?.message.status === 'dead'
    ? conflict(
        'the message was lost and is no longer stored: drop it here, and ask its sender to send it again',
      )
    : conflict('the message is not a dead letter: it waits for its answer, or was answered or dropped');

/** Replays all dead messages of a chat, in order. Lost ones that are no longer stored stay dead. @throws as above. */
export async function replayChat(
  deps: ReplayDeps,
  tenantId: string,
  chatId: string,
): Promise<MessageInChat[]> {
  const { database } = deps;
  const conversation = await withTenant(database, [tenantId], (tx) =>
    getConversationByChat(tx, tenantId, chatId),
  );
  if (!conversation) throw notFound('chat');
  const replayed = await replay(deps, conversation, null);
  const rows = await withTenant(database, [tenantId], (tx) => listMessagesById(tx, tenantId, replayed));
  return rows.map((message) => ({ message, conversation }));
}

/** Resolves with the messages that are pending from now on. */
async function replay(
  deps: ReplayDeps,
  conversation: ConversationRow,
  messageIds: readonly string[] | null,
): Promise<string[]> {
  const { database, wakeWorker } = deps;
  const { tenantId, botId } = conversation;
  const lost = await withTenant(database, [tenantId], async (tx) => {
    if (await isBotOff(tx, tenantId, botId))
      throw conflict('the bot is disabled or deleted, so it would not answer: enable it first');
    await requireBotHandles(deps, tx, conversation);
    return await listLostDeadLetters(tx, conversation, messageIds);
  });
  const kept = await findKept(deps, conversation, lost);
  const came = lost.filter((letter) => kept.some(({ seq }) => seq === letter.seq));
  return await withTenant(database, [tenantId], async (tx) => {
    const requeued = await requeueDeadLetters(tx, conversation, { messageIds, hasOthers: kept.length > 0 });
    // Messages that never arrived take their positions in the queue.
    await storeKept(tx, kept);
    tx.afterCommit(() => wakeWorker());
    return [...came.map(({ messageId }) => messageId), ...requeued];
  });
}

/** Those of the lost messages that the webhooks service has now. @throws HttpError 503 when it doesn't answer. */
async function findKept(
  { bus }: Pick<Deps, 'bus'>,
  { tenantId, conversationId }: ConversationRow,
  lost: Awaited<ReturnType<typeof listLostDeadLetters>>,
): Promise<InboundMessage[]> {
  if (lost.length === 0) return [];
  const seqs = lost.map(({ seq }) => seq);
  return (await ask(bus, findMessages, { tenantId, conversationId, seqs })).messages;
}

/**
 * Resends a reply that did not arrive, or may not have, as a new message at the end of its chat, and takes the old one
 * off the list. Concurrent requests resend it only once. Returns the new message's identifier.
 * @throws HttpError 404; 409 if it is no longer on the list, its bot is deleted, or its file is no longer stored; 503.
 */
export async function resendReply(
  deps: Pick<Deps, 'database' | 'outbox' | 'bus'>,
  tenantId: string,
  messageId: string,
): Promise<string> {
  const reply = await withTenant(deps.database, [tenantId], (tx) => getMessage(tx, tenantId, messageId));
  const file = reply && (await findFileToSend(deps, tenantId, reply));
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const chatId = await getChatOfReply(tx, tenantId, messageId);
    if (chatId === undefined) throw notFound('reply');
    const chat = await requireChat(tx, tenantId, chatId);
    if (chat.isBotDeleted) throw conflict('the bot is deleted: nothing is sent in its name any more');
    if (!(await dismissReply(tx, tenantId, messageId)))
      throw conflict('the reply has arrived, is still on its way, or was sent anew or dropped already');
    const { staffId, template, choices, ...written } = await insertAgain(tx, chat, messageId);
    await sendOut(deps, tx, chat, {
      ...written,
      template: template ?? undefined,
      choices: choices ?? undefined,
      file,
      author: staffId === null ? 'bot' : 'staff',
    });
    return written.messageId;
  });
}
