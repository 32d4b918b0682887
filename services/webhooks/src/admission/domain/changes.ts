import { accountChanged, personRenamed } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { markActive, markBlocked } from '../../chats/domain/chat-state.ts';
import { migrateChat } from '../../chats/domain/migrate-chat.ts';
import { findCurrentChatId } from '../../chats/store/chat-moves.ts';
import { announceEnded } from '../../delivery/domain/announce-replies.ts';
import { requestCheck } from '../../endpoints/store/webhook-checks.ts';
import type { Endpoint } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { insertDelivery } from '../store/admission.ts';
import type { Received } from './admission.ts';
import { applyDeletion, emptyDeleted } from './apply-deletion.ts';
import type { KnownDelivery } from './draft-delivery.ts';

type ChangeDeps = Pick<
  Deps,
  'admissionDatabase' | 'bus' | 'outbox' | 'platforms' | 'wakeChecker' | 'wakeSender'
>;
type DeliveryOf<Kind extends string> = Extract<KnownDelivery, Record<Kind, unknown>>;

/** A delivery of an integration. */
export interface Addressed<Delivery extends KnownDelivery = KnownDelivery> {
  endpoint: Endpoint;
  delivery: Delivery;
}

interface Change<Delivery extends KnownDelivery> {
  /** In the transaction that records the delivery. */
  apply(deps: ChangeDeps, tx: TenantTx, report: Addressed<Delivery> & { deliveryId: string }): Promise<void>;
  /** After the commit, and again for a repeated delivery. */
  afterCommit?(deps: ChangeDeps, report: Addressed<Delivery>): Promise<void>;
}

/** The changes of what is stored that platforms report, by the kinds of their deliveries. */
const changes: {
  [Kind in 'account' | 'deletion' | 'membership' | 'migration' | 'person' | 'recheck']: Change<
    DeliveryOf<Kind>
  >;
} = {
  account: {
    apply: ({ outbox }, tx, { endpoint: { tenantId, integrationId }, delivery: { account } }) =>
      outbox.emit(tx, accountChanged, { tenantId, integrationId, ...account }),
  },
  deletion: { apply: applyDeletion, afterCommit: emptyDeleted },
  membership: { apply: applyMembership },
  migration: {
    apply: (deps, tx, { endpoint: { tenantId, botId, platform }, delivery: { migration } }) =>
      migrateChat(deps, tx, { tenantId, botId, platform, ...migration }, { isHeld: false }),
  },
  person: {
    apply: ({ outbox }, tx, { endpoint: { tenantId, platform }, delivery: { person } }) =>
      outbox.emit(tx, personRenamed, { tenantId, platform, ...person }),
  },
  recheck: {
    apply: async ({ wakeChecker }, tx, { endpoint }) => {
      await requestCheck(tx, endpoint);
      tx.afterCommit(wakeChecker);
    },
  },
};

/** The change that a delivery reports; `undefined` for a message. */
export const changeOf = (delivery: KnownDelivery): Change<KnownDelivery> | undefined =>
  Object.entries(changes).find(([kind]) => kind in delivery)?.[1];

/** Applies a change once per delivery, even for a disabled integration, which may be enabled again. */
export async function applyChange(
  deps: ChangeDeps,
  tx: TenantTx,
  { endpoint, delivery }: Addressed,
  change: Change<KnownDelivery>,
): Promise<Received> {
  const { tenantId, botId, platform } = endpoint;
  const deliveryId = uuidv7();
  const isNew = await insertDelivery(tx, {
    tenantId,
    source: platform,
    botId,
    eventId: delivery.eventId,
    deliveryId,
  });
  if (!isNew) return { verdict: 'duplicate' };
  await change.apply(deps, tx, { endpoint, delivery, deliveryId });
  return { verdict: 'accepted' };
}

/** Ignores the old chat of a migrated group: all its members leave it, which says nothing about the group. */
async function applyMembership(
  deps: ChangeDeps,
  tx: TenantTx,
  { endpoint, delivery }: Addressed<DeliveryOf<'membership'>>,
): Promise<void> {
  const { tenantId, botId, integrationId, platform } = endpoint;
  const { platformChatId, state, reason = 'blocked', happenedAt } = delivery.membership;
  const chat = { tenantId, botId, integrationId, platform, platformChatId };
  if ((await findCurrentChatId(tx, chat)) !== platformChatId) return;
  if (state === 'active') return await markActive(deps, tx, chat, { happenedAt });
  await announceEnded(deps, tx, await markBlocked(deps, tx, chat, { reason, happenedAt }));
}
