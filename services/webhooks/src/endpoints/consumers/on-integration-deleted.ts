import type { integrationDeleted } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { announceEndpoint } from '../domain/announce-endpoint.ts';
import { deleteEndpoint } from '../store/endpoints.ts';

export async function onIntegrationDeleted(
  tx: TenantTx,
  { data }: Received<typeof integrationDeleted>,
  deps: Deps,
): Promise<void> {
  await deleteEndpoint(tx, data);
  await announceEndpoint(deps, tx, data);
  tx.afterCommit(deps.wakeRegistrar);
}
