import { endpointChanged } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';

/** Makes every instance drop a bot's cached endpoint; this one as soon as the change is committed. */
export async function announceEndpoint(
  { outbox, endpoints }: Pick<Deps, 'outbox' | 'endpoints'>,
  tx: TenantTx,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<void> {
  tx.afterCommit(() => endpoints.forget(botId));
  await outbox.emit(tx, endpointChanged, { tenantId, botId });
}
