import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import type { Received, Sift, Subscription } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import { findErased, requireUnerased, type Said } from '@botyard/shared/db/erased-people';
import { personIdOf } from '../../conversations/store/people.ts';
import { holdPlaces } from '../../conversations/store/places.ts';
import type { Deps } from '../deps.ts';

/**
 * Wraps subscriptions to drop messages that people sent before their erasure, so that late or repeated deliveries
 * restore nothing. A dropped message's position in its conversation is kept, so that later ones don't wait for it.
 */
export function ofUnerased(subscriptions: readonly Subscription<Deps>[]): readonly Subscription<Deps>[] {
  return subscriptions.map((subscription) => ({
    ...subscription,
    sift: {
      find: (tx, events) => leaveOutErased(tx, events, subscription.sift),
      requireAll: async (tx, events) => {
        await Promise.all([
          subscription.sift?.requireAll(tx, events),
          requireUnerased(tx, 'agents', events.map(saidIn)),
        ]);
      },
    },
  }));
}

async function leaveOutErased(
  tx: TenantTx,
  events: readonly Received[],
  sift: Sift | undefined,
): Promise<(event: Received) => boolean> {
  const [isWanted = () => true, places] = await Promise.all([
    sift?.find(tx, events),
    findErased(tx, 'agents', events.map(saidIn)),
  ]);
  const erased = new Set([...places].map((place) => events[place]!));
  const held = [...erased].filter((event) => messageOf(event).seq !== undefined && isWanted(event));
  if (held.length > 0) await holdPlaces(tx, held.map(messageOf));
  return (event) => !erased.has(event) && isWanted(event);
}

const messageOf = ({ data }: Received): InboundMessage => data as InboundMessage;

function saidIn(event: Received): Said {
  const message = messageOf(event);
  return { tenantId: message.tenantId, personId: personIdOf(message), saidAt: message.receivedAt };
}
