import { accountChanged, personRenamed } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { markActive, markBlocked } from '../../chats/domain/chat-state.ts';
import { migrateChat } from '../../chats/domain/migrate-chat.ts';
import { findCurrentChatId } from '../../chats/store/chat-moves.ts';
import { announceEnded } from '../../delivery/domain/announce-replies.ts';
import type {
  ReadAccount,
  ReadMembership,
  ReadMigration,
  ReadPerson,
} from '../../platforms/domain/read-delivery.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { insertDelivery } from '../store/admission.ts';

export type ChatEvent = { eventId: string } & (
  | { membership: ReadMembership }
  | { migration: ReadMigration }
  | { account: ReadAccount }
  | { person: ReadPerson }
);
type ApplyDeps = Pick<Deps, 'outbox' | 'platforms' | 'wakeSender'>;

/**
 * Applies a change of a chat, a person or the account once per delivery, even for a disabled integration, which may be
 * enabled again.
 */
export async function applyChatEvent(
  deps: ApplyDeps,
  tx: TenantTx,
  { tenantId, botId, integrationId, platform }: Endpoint,
  event: ChatEvent,
): Promise<{ verdict: 'accepted' | 'duplicate' }> {
  const { eventId } = event;
  const delivery = { tenantId, source: platform, botId, eventId, deliveryId: uuidv7() };
  if (!(await insertDelivery(tx, delivery))) return { verdict: 'duplicate' };
  if ('migration' in event)
    await migrateChat(deps, tx, { tenantId, botId, platform, ...event.migration }, { isHeld: false });
  else if ('account' in event)
    await deps.outbox.emit(tx, accountChanged, { tenantId, integrationId, ...event.account });
  else if ('person' in event)
    await deps.outbox.emit(tx, personRenamed, { tenantId, platform, ...event.person });
  else await applyMembership(deps, tx, { tenantId, botId, integrationId, platform }, event.membership);
  return { verdict: 'accepted' };
}

/** Ignores the old chat of a migrated group: all its members leave it, which says nothing about the group. */
async function applyMembership(
  deps: ApplyDeps,
  tx: TenantTx,
  own: Pick<Endpoint, 'tenantId' | 'botId' | 'integrationId' | 'platform'>,
  { platformChatId, state, reason, happenedAt }: ReadMembership,
): Promise<void> {
  const chat = { ...own, platformChatId };
  if ((await findCurrentChatId(tx, chat)) !== platformChatId) return;
  if (state === 'active') return await markActive(deps, tx, chat, { happenedAt });
  const givenUp = await markBlocked(deps, tx, chat, { reason: reason ?? 'blocked', happenedAt });
  await announceEnded(deps, tx, givenUp);
}
