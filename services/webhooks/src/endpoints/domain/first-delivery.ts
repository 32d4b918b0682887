import { registrationChanged } from '@botyard/contracts/events/webhooks';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { markFirstDelivery } from '../store/endpoints.ts';
import { announceEndpoint } from './announce-endpoint.ts';

/** The integration that receives a delivery, and its address if it has one. */
interface Receiving {
  tenantId: string;
  botId: string;
  integrationId: string;
  address?: string;
  isAwaitingFirstDelivery: boolean;
}

/**
 * Announces an integration's first delivery, once. If the service doesn't register the webhook itself, nothing else
 * shows that the platform knows the address.
 */
export async function noteFirstDelivery(
  deps: Pick<Deps, 'database' | 'outbox' | 'endpoints'>,
  receiving: Receiving,
): Promise<void> {
  if (!receiving.isAwaitingFirstDelivery) return;
  await withTenant(deps.database, [receiving.tenantId], async (tx) => {
    const revision = await markFirstDelivery(tx, receiving);
    if (revision === undefined) return;
    await announceFirstDelivery(deps, tx, { ...receiving, revision }, new Date());
    await announceEndpoint(deps, tx, receiving);
  });
}

export async function announceFirstDelivery(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, integrationId, revision }: { tenantId: string; integrationId: string; revision: number },
  firstDeliveryAt: Date,
): Promise<void> {
  await outbox.emit(tx, registrationChanged, {
    tenantId,
    integrationId,
    revision,
    state: 'registered',
    checkedAt: firstDeliveryAt.toISOString(),
  });
}
