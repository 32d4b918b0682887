import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import type { personRenamed } from '@botyard/contracts/events/webhooks';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { findPresentId, insertRenaming, movePermissions } from '../store/renamed-people.ts';

/**
 * Mutes and grants follow a person to a new identifier. Links to users don't: they are proven for the whole
 * installation, and a renaming is the word of one tenant's platform.
 */
export async function onPersonRenamed(
  tx: TenantTx,
  { data: { tenantId, platform, from, to: reportedId } }: Received<typeof personRenamed>,
  { outbox }: Deps,
): Promise<void> {
  const presentId = await findPresentId(tx, { tenantId, platform, id: reportedId });
  // Renamings arrive in any order. One that leads back to where it began gives an earlier identifier back.
  const to = presentId === from ? reportedId : presentId;
  if (to === from) return;
  const renaming = { tenantId, platform, from, to };
  await insertRenaming(tx, renaming);
  if (await movePermissions(tx, renaming)) await outbox.emit(tx, authorizationChanged, { tenantId });
}
