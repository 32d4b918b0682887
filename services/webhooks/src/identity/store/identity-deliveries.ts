import type { PlatformTx } from '@botyard/shared/db/database';

/** Stores a delivery of the identity provider. Returns `false` if it was already stored. */
export async function insertIdentityDelivery(tx: PlatformTx, eventId: string): Promise<boolean> {
  return await tx.has({
    name: 'webhooks.identity_deliveries.insert',
    text: 'insert into webhooks.identity_deliveries (event_id) values ($1) on conflict do nothing returning 1',
    values: [eventId],
  });
}
