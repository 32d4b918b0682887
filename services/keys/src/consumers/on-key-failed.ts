import type { keyFailed } from '@botyard/contracts/events/agents';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { applyKeyFailure } from '../domain/failed-key.ts';

export async function onKeyFailed(
  tx: TenantTx,
  { data }: Received<typeof keyFailed>,
  deps: Deps,
): Promise<void> {
  await applyKeyFailure(deps, tx, data);
}
