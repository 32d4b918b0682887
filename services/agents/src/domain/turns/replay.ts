import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../../deps.ts';
import { type ConversationRow, getConversationByChat, listMessagesById } from '../../store/messages.ts';
import {
  getMessageInChat,
  isBotOff,
  type MessageInChat,
  requeueDeadLetters,
} from '../../store/queue/dead-letters.ts';

type ReplayDeps = Pick<Deps, 'database' | 'wakeWorker'>;

/**
 * Has a dead message answered next in its conversation (decisions 6, P0 2): its place is before all that waits, and who
 * answers now ends their turn first. Once, however many ask. @throws HttpError 404; 409 when it isn't dead, or when
 * nobody would answer it.
 */
export async function replayDeadLetter(
  deps: ReplayDeps,
  tenantId: string,
  messageId: string,
): Promise<MessageInChat> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const found = await getMessageInChat(tx, tenantId, messageId);
    if (!found) throw notFound('message');
    await replay(deps, tx, found.conversation, [messageId]);
    const replayed = await getMessageInChat(tx, tenantId, messageId);
    return replayed ?? found;
  });
}

/** The same for all that is dead in a chat, in its order. @throws HttpError 404, 409. */
export async function replayChat(
  deps: ReplayDeps,
  tenantId: string,
  chatId: string,
): Promise<MessageInChat[]> {
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const conversation = await getConversationByChat(tx, tenantId, chatId);
    if (!conversation) throw notFound('chat');
    const replayed = await replay(deps, tx, conversation, null);
    const rows = await listMessagesById(tx, tenantId, replayed);
    return rows.map((message) => ({ message, conversation }));
  });
}

async function replay(
  { wakeWorker }: ReplayDeps,
  tx: TenantTx,
  conversation: ConversationRow,
  messageIds: readonly string[] | null,
): Promise<string[]> {
  if (await isBotOff(tx, conversation.tenantId, conversation.botId))
    throw conflict('the bot is switched off or deleted: nobody would answer; switch it on first');
  const replayed = await requeueDeadLetters(tx, conversation, messageIds);
  if (messageIds && replayed.length < messageIds.length)
    throw conflict('the message is not dead: it waits for its answer, or has been answered or dropped');
  tx.afterCommit(() => wakeWorker());
  return replayed;
}
