import { chatChanged } from '@botyard/contracts/events/webhooks';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import type { ChatDeps } from '../../deps.ts';
import { blockChat, unblockChat } from '../../store/chat-blocks.ts';
import type { BotChat } from '../../store/chat-moves.ts';
import { giveUpPartsIn } from '../../store/given-up-parts.ts';
import { announceEnded } from '../announce-replies.ts';

type OwnChat = BotChat & { integrationId: string; platform: PlatformName };

/**
 * Marks a chat as blocked: its pending parts are given up, and the change is announced. `happenedAt` is the platform's
 * time of the change, in seconds. With `isHeld` the caller holds the chat, and parts whose send has begun are given up,
 * too.
 */
export async function markBlocked(
  deps: ChatDeps,
  tx: TenantTx,
  chat: OwnChat,
  block: { reason: string; happenedAt?: number; isHeld?: boolean },
): Promise<void> {
  const { reason, isHeld = false } = block;
  const changedAt = await blockChat(tx, chat, block);
  if (!changedAt && !isHeld) return;
  const states = isHeld ? (['queued', 'sending'] as const) : (['queued'] as const);
  const givenUp = await giveUpPartsIn(tx, chat, { reason, states });
  await announceEnded(deps, tx, givenUp);
  if (changedAt)
    await announce(deps, tx, chat, { state: 'blocked', reason, changedAt: changedAt.toISOString() });
}

/** Marks a chat as open again, and announces that if it was blocked. */
export async function markActive(
  deps: ChatDeps,
  tx: TenantTx,
  chat: OwnChat,
  known: { happenedAt?: number } = {},
): Promise<void> {
  const changedAt = await unblockChat(tx, chat, known);
  if (changedAt) await announce(deps, tx, chat, { state: 'active', changedAt: changedAt.toISOString() });
}

async function announce(
  { outbox }: ChatDeps,
  tx: TenantTx,
  { tenantId, botId, integrationId, platform, platformChatId }: OwnChat,
  change: { state: 'active' | 'blocked'; reason?: string; changedAt: string },
): Promise<void> {
  const chat = { tenantId, botId, integrationId, platform, platformChatId };
  await outbox.emit(tx, chatChanged, { ...chat, ...change });
}
