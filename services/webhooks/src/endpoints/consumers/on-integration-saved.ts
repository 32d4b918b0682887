import type { integrationSaved } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { announceEndpoint } from '../domain/announce-endpoint.ts';
import { announceFirstDelivery } from '../domain/first-delivery.ts';
import { nameAccount, saveEndpoint } from '../store/endpoints.ts';

export async function onIntegrationSaved(
  tx: TenantTx,
  { data }: Received<typeof integrationSaved>,
  deps: Deps,
): Promise<void> {
  const saved = await saveEndpoint(tx, data);
  if (!saved) return await nameAccount(tx, data);
  // The first delivery may have arrived for the previous revision without being announced.
  if (saved.firstDeliveryAt) await announceFirstDelivery(deps, tx, data, saved.firstDeliveryAt);
  await announceEndpoint(deps, tx, data);
  tx.afterCommit(deps.wakeRegistrar);
}
