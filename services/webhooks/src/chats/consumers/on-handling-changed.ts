import type { handlingChanged } from '@botyard/contracts/events/agents';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';

/** Shows in a chat that a person has joined or left, where the platform can. */
export async function onHandlingChanged(
  tx: TenantTx,
  { id: changeId, data }: Received<typeof handlingChanged>,
  { platforms }: Pick<Deps, 'platforms'>,
): Promise<void> {
  for (const { showHandling } of Object.values(platforms)) await showHandling?.(tx, { ...data, changeId });
}
