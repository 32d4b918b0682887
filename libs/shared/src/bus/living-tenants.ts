import type { EventScope } from '@botyard/contracts/events/definition';
import type { TenantTx } from '../db/database.ts';
import { listDeletedAmong } from '../db/deleted-tenants.ts';
import type { Received, Subscription } from './consumer.ts';

/**
 * Subscriptions that leave out the events of tenants that this service knows to be deleted: what comes late, or again
 * after the bus lost its streams, brings no row back.
 */
export function ofLivingTenants<Deps>(
  schema: string,
  subscriptions: readonly Subscription<Deps>[],
): readonly Subscription<Deps>[] {
  const tenantOf = ({ data }: Received) => (data as EventScope).tenantId ?? '';
  const sift = async (tx: TenantTx, events: readonly Received[]) => {
    const deleted = await listDeletedAmong(tx, schema, [...new Set(events.map(tenantOf))]);
    return (event: Received) => !deleted.has(tenantOf(event));
  };
  return subscriptions.map((subscription) => ({ ...subscription, sift }));
}
