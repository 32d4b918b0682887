import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import type { Received, Subscription } from '@botyard/shared/bus/consumer';
import { findErased } from '@botyard/shared/db/erased-people';
import { personIdOf } from '../../conversations/store/people.ts';
import { holdPlaces } from '../../conversations/store/places.ts';
import type { Deps } from '../../deps.ts';

/**
 * Subscriptions that leave out messages of people from before their erasure: late or repeated ones bring nothing back.
 * A message's place in its conversation is kept, so that others don't wait for it.
 */
export function ofUnerased(subscriptions: readonly Subscription<Deps>[]): readonly Subscription<Deps>[] {
  return subscriptions.map((subscription) => ({
    ...subscription,
    sift: async (tx, events) => {
      const messages = events.map(({ data }) => data as InboundMessage);
      const said = messages.map((message) => ({
        tenantId: message.tenantId,
        personId: personIdOf(message),
        saidAt: message.receivedAt,
      }));
      const [isWanted, places] = await Promise.all([
        subscription.sift?.(tx, events),
        findErased(tx, 'agents', said),
      ]);
      const erased = [...places];
      const held = erased.filter(
        (place) => messages[place]!.seq !== undefined && (isWanted?.(events[place]!) ?? true),
      );
      if (held.length > 0)
        await holdPlaces(
          tx,
          held.map((place) => messages[place]!),
        );
      const gone = new Set<Received>(erased.map((place) => events[place]!));
      return (event) => !gone.has(event) && (isWanted?.(event) ?? true);
    },
  }));
}
