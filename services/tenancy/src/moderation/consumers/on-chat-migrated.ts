import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import type { chatMigrated } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { moveChannelGrant } from '../store/channel-grants.ts';

/** Copies a group's grants to the supergroup that it became. */
export async function onChatMigrated(
  tx: TenantTx,
  { data }: Received<typeof chatMigrated>,
  { outbox }: Deps,
): Promise<void> {
  if (await moveChannelGrant(tx, data))
    await outbox.emit(tx, authorizationChanged, { tenantId: data.tenantId });
}
