import type { EventScope } from '@botyard/contracts/events/definition';
import { listDeletedAmong, requireLiving } from '../db/deleted-tenants.ts';
import type { Received, Sift, Subscription } from './consumer.ts';

/**
 * Subscriptions that skip events of tenants that this service knows to be deleted. Late events, and events that are
 * sent again after the bus lost its streams, restore no rows.
 */
export function ofLivingTenants<Deps>(
  schema: string,
  subscriptions: readonly Subscription<Deps>[],
): readonly Subscription<Deps>[] {
  const tenantOf = ({ data }: Received) => (data as EventScope).tenantId ?? '';
  const tenantsOf = (events: readonly Received[]) => [...new Set(events.map(tenantOf))];
  const sift: Sift = {
    find: async (tx, events) => {
      const deleted = await listDeletedAmong(tx, schema, tenantsOf(events));
      return (event) => !deleted.has(tenantOf(event));
    },
    requireAll: (tx, events) => requireLiving(tx, schema, tenantsOf(events)),
  };
  return subscriptions.map((subscription) => ({ ...subscription, sift }));
}
