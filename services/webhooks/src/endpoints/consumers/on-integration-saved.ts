import type { integrationSaved } from '@botyard/contracts/events/tenancy';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { announceEndpoint } from '../domain/announce-endpoint.ts';
import { saveEndpoint } from '../store/endpoints.ts';

export async function onIntegrationSaved(
  tx: TenantTx,
  { data }: Received<typeof integrationSaved>,
  deps: Deps,
): Promise<void> {
  if (!(await saveEndpoint(tx, data))) return;
  await announceEndpoint(deps, tx, data);
  tx.afterCommit(deps.wakeRegistrar);
}
