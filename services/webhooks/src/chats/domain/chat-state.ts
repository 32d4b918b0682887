import { chatChanged } from '@botyard/contracts/events/webhooks';
import { platformChatIdOf } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { blockChat, giveUpPartsIn, type OwnChat, unblockChat } from '../store/chat-blocks.ts';

/**
 * Marks a chat as blocked, announces that, and gives up its waiting parts. `happenedAt` is the platform's time of the
 * change, in seconds. With `isHeld` the caller holds the chat, and parts whose send has begun are given up, too.
 * Returns the replies of the parts: the caller announces those that have ended.
 */
export async function markBlocked(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, botId, integrationId, platform, platformChatId }: OwnChat,
  block: { reason: string; happenedAt?: number; isHeld?: boolean },
): Promise<{ tenantId: string; replyId: string }[]> {
  const { reason, isHeld = false } = block;
  const chat = { tenantId, botId, integrationId, platform, platformChatId };
  const blockedAt = await blockChat(tx, chat, block);
  if (blockedAt) {
    const changedAt = blockedAt.toISOString();
    await outbox.emit(tx, chatChanged, { ...chat, state: 'blocked', reason, changedAt });
  } else if (!isHeld) return [];
  return await giveUpPartsIn(tx, chat, { reason, states: isHeld ? ['queued', 'sending'] : ['queued'] });
}

/** Marks a chat as open again, and announces that if it was blocked. */
export async function markActive(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, botId, integrationId, platform, platformChatId }: OwnChat,
  change: { happenedAt?: number } = {},
): Promise<void> {
  const chat = { tenantId, botId, integrationId, platform, platformChatId };
  const openedAt = await unblockChat(tx, chat, change);
  if (!openedAt) return;
  await outbox.emit(tx, chatChanged, { ...chat, state: 'active', changedAt: openedAt.toISOString() });
}

/** A chat as it is stored, by the platform's identifier. */
export const toOwnChat = ({
  tenantId,
  botId,
  integrationId,
  platform,
  chatKey,
}: Omit<OwnChat, 'platformChatId'> & { chatKey: string }): OwnChat => ({
  tenantId,
  botId,
  integrationId,
  platform,
  platformChatId: platformChatIdOf(platform, chatKey),
});
