import { listDeletedAmong } from '../db/deleted-tenants.ts';
import type { Subscription } from './consumer.ts';
import type { EventScope } from './definition.ts';

/**
 * Subscriptions that leave out the events of tenants that this service knows to be deleted: what comes late, or again
 * after the bus lost its streams, brings no row back.
 */
export function ofLivingTenants<Deps>(
  schema: string,
  subscriptions: readonly Subscription<Deps>[],
): readonly Subscription<Deps>[] {
  return subscriptions.map(({ event, handle }) => ({
    event,
    handle: async (tx, events, deps) => {
      const tenantOf = ({ data }: (typeof events)[number]) => (data as EventScope).tenantId ?? '';
      const deleted = await listDeletedAmong(tx, schema, [...new Set(events.map(tenantOf))]);
      const living = events.filter((received) => !deleted.has(tenantOf(received)));
      if (living.length > 0) await handle(tx, living, deps);
    },
  }));
}
