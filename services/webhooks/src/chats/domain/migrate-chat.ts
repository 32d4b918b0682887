import { chatMigrated } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import {
  type ChatMove,
  findCurrentChatId,
  findFormerChatId,
  insertMove,
  lockForMove,
  moveQueuedParts,
} from '../store/chat-moves.ts';
import { conversationIdOf } from './conversation-id.ts';

/**
 * Handles a chat that got another identifier: its new messages belong to the conversation of the old one, and queued
 * replies go to the new chat. Either chat or a refused send may report the move, any number of times.
 *
 * While another worker sends to the old chat, its queue is left to that worker, so that the order is kept. The worker
 * learns about the move with its next send, and then moves the queue, which is due after `waitMs`.
 */
export async function migrateChat(
  deps: Deps,
  tx: TenantTx,
  { tenantId, botId, platform, fromChatId, toChatId }: ChatMove,
  { isHeld, waitMs = 0 }: { isHeld: boolean; waitMs?: number | undefined },
): Promise<void> {
  if (!deps.platforms[platform].isRenaming?.(fromChatId, toChatId)) return;
  const move = { tenantId, botId, platform, fromChatId, toChatId };
  const chatOf = (platformChatId: string) => ({ tenantId, botId, platform, platformChatId });
  // A chat that gets an earlier identifier again has its conversation there already.
  if ((await findCurrentChatId(tx, chatOf(toChatId))) === fromChatId) return;
  // Locks the chat before the move is recorded, in the order of the senders.
  const old = await lockForMove(tx, move);
  const isNew = await insertMove(tx, move);
  const current = isNew ? toChatId : await findCurrentChatId(tx, chatOf(fromChatId));
  if (current !== toChatId) return;
  if (old && (isHeld || !old.isBusy)) {
    await moveQueuedParts(tx, { ...move, integrationId: old.integrationId, waitMs });
    tx.afterCommit(() => deps.wakeSender(platform));
  }
  if (!isNew) return;
  await deps.outbox.emit(tx, chatMigrated, {
    ...move,
    conversationId: conversationIdOf(
      { botId, platform },
      (await findFormerChatId(tx, chatOf(fromChatId))) ?? fromChatId,
    ),
    interimConversationId: conversationIdOf({ botId, platform }, toChatId),
  });
}
