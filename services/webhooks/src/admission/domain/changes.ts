import { accountChanged, personRenamed } from '@botyard/contracts/events/webhooks';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
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
import { applyRating } from './apply-rating.ts';
import { applyStatus } from './apply-status.ts';
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
  /** In the transaction that records the delivery. Resolves with the reason if the change is ignored. */
  apply(
    deps: ChangeDeps,
    tx: TenantTx,
    report: Addressed<Delivery> & { deliveryId: string },
  ): Promise<string | void>;
  /** After the commit, and again for a repeated delivery. */
  afterCommit?(deps: ChangeDeps, report: Addressed<Delivery>): Promise<void>;
}

type Kind = 'account' | 'deletion' | 'membership' | 'migration' | 'person' | 'rating' | 'recheck' | 'status';

/** The changes of what is stored that platforms report, by the kinds of their deliveries. */
const changes: { [Of in Kind]: Change<DeliveryOf<Of>> } = {
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
  rating: { apply: applyRating },
  recheck: {
    apply: async ({ wakeChecker }, tx, { endpoint }) => {
      await requestCheck(tx, endpoint);
      tx.afterCommit(wakeChecker);
    },
  },
  status: { apply: applyStatus },
};

/** The change that a delivery reports; `undefined` for a message or an edit. */
export const changeOf = (delivery: KnownDelivery): Change<KnownDelivery> | undefined =>
  Object.entries(changes).find(([kind]) => kind in delivery)?.[1];

/** Applies a change once per delivery, even for a disabled integration, which may be enabled again. */
export async function receiveChange(
  deps: ChangeDeps,
  addressed: Addressed,
  change: Change<KnownDelivery>,
): Promise<Received> {
  const { endpoint, delivery } = addressed;
  const { tenantId, botId, platform: source } = endpoint;
  const received = await withTenant(deps.admissionDatabase, [tenantId], async (tx): Promise<Received> => {
    const deliveryId = uuidv7();
    const row = { tenantId, source, botId, eventId: delivery.eventId, deliveryId };
    if (!(await insertDelivery(tx, row))) return { verdict: 'duplicate' };
    const reason = await change.apply(deps, tx, { ...addressed, deliveryId });
    return reason ? { verdict: 'ignored', reason } : { verdict: 'accepted' };
  });
  await change.afterCommit?.(deps, addressed);
  return received;
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
